/*
 * What an ELF file says about itself where the loader mapped it into this process: read from live memory with
 * checked reads, so a library may go away meanwhile. Background thread; not async-signal-safe.
 */
#ifndef OTELPROF_SYMBOL_ELFIMAGE_H
#define OTELPROF_SYMBOL_ELFIMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/elf.h"

#define ELFIMAGE_PROGRAM_HEADER_MAX 64

struct elfimage {
    uintptr_t bias;         /* runtime address - virtual address in the file */
    uintptr_t start, limit; /* all loaded segments, in pages */
    uintptr_t exec_start;   /* the executable ones, lowest to highest, in pages; 0, 0: none */
    uintptr_t exec_limit;
    uint64_t exec_offset;   /* file offset of |exec_start| */
    uintptr_t eh_frame_hdr; /* 0: none */
    size_t eh_frame_hdr_size;
    char build_id[ELF_BUILD_ID_TEXT]; /* "": none */
};

/* The headers as they are in memory at |base|, where offset 0 of the file is mapped: their number in
 * |headers| (room for ELFIMAGE_PROGRAM_HEADER_MAX); -EFAULT when not readable, -ENOEXEC when not an ELF file
 * of ours. */
int elfimage_headers(uintptr_t base, Elf64_Ehdr *header, Elf64_Phdr *headers);

/* 0, or the same errors. */
int elfimage_read(uintptr_t base, struct elfimage *image);

#endif
