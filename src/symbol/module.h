/*
 * The modules of this process: every ELF file that is mapped executable, and the vDSO. Found in
 * /proc/self/maps; the headers are read from live memory, so files that were deleted or replaced are seen as
 * they run.
 *
 * All of it for the background thread; nothing is async-signal-safe.
 */
#ifndef OTELPROF_SYMBOL_MODULE_H
#define OTELPROF_SYMBOL_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/elf.h"

struct names;

#define MODULE_NEVER UINT32_MAX

struct module {
    uint32_t id;            /* from 1, dense, never used for another module */
    uintptr_t start, limit; /* from the first to behind the last executable segment, in pages */
    uint64_t file_offset;   /* of |start| */
    uintptr_t base;         /* where offset 0 of the file is mapped */
    uintptr_t base_limit;   /* end of that mapping */
    uintptr_t bias;         /* runtime address - ELF virtual address */
    uintptr_t eh_frame_hdr; /* runtime address, 0: none */
    size_t eh_frame_hdr_size;
    char *path;                       /* without " (deleted)"; "[vdso]" */
    char build_id[ELF_BUILD_ID_TEXT]; /* hexadecimal, "": none */
    uint64_t device, inode; /* as the kernel shows them in maps; on overlayfs not what stat(2) says */
    int is_main;            /* the program, /proc/self/exe; the first module if that cannot be read */
    int is_vdso;
    int is_self; /* contains this library */
    int gone;    /* unmapped, or something else is there now. Set back to 0, with the same id, when the
                  * same file (device, inode, path, build id) is mapped at the same address again. */
    uint32_t
        since;    /* the collector's: the count of unloads at which it was first seen here, or MODULE_NEVER */
    void *unwind; /* the unwinder's */
    struct names *names; /* symbol/names.c's */
};

/* A part of a module's text that is mapped once more elsewhere: V8 (Node 20 and later) does it with its
 * builtins, to have them near JIT code. */
struct module_copy {
    uintptr_t start, limit;
    const struct module *module;
    uintptr_t original; /* what |start| is a copy of */
};

/* Zero it before the first use. The modules themselves stay where they are for the life of the process. */
struct modules {
    struct module **all; /* [id - 1] */
    size_t count, cap;
    struct module **live; /* sorted by start */
    size_t live_count, live_cap;
    struct module_copy *copies;
    size_t copy_count, copy_cap;
    uint64_t seen; /* hash of the lines that name executable files */
};

/*
 * Not a module: a second executable view of part of a file, far from its other segments. V8 makes one of its
 * embedded builtins near the code range (seen in node 20, 22 and 24, not 18; not with
 * --no-short-builtin-calls); their names are those of the JIT code events or the perf map.
 *
 * Reads the maps again, adds new modules and marks those that are gone. > 0 if anything changed, 0 if not, or
 * a negative errno when the maps cannot be read (then everything stays as it was) or memory is short (then
 * what was found is kept and the next call tries again). When nothing changed it costs reading the text;
 * anonymous and data mappings, which change all the time, do not count.
 */
int modules_refresh(struct modules *modules);

/* The live module whose executable range contains |pc|, or NULL. */
const struct module *modules_find(const struct modules *modules, uintptr_t pc);

/* The address in a live module that |pc| is a copy of, or 0. */
uintptr_t modules_original(const struct modules *modules, uintptr_t pc);

/* The one readable mapping (VMA, not merged with its neighbours) that contains |address|, from the maps of
 * this moment. 0, -ENOENT, or the error of the read. */
int modules_range_of(uintptr_t address, uintptr_t *start, uintptr_t *limit);

#endif
