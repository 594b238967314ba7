/* What the unwinder's tests and bench need of ELF: loaded modules, and files laid out as a loader would. */
#ifndef OTELPROF_TESTS_UNWIND_ELF_H
#define OTELPROF_TESTS_UNWIND_ELF_H

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unwind/cfi.h"

struct elf_module {
    char path[512]; /* "" for the main program, as the loader has it */
    uintptr_t base; /* to be added to the file's addresses */
    struct cfi_source source;
};

static inline void elf_describe(struct elf_module *m, uintptr_t base, const ElfW(Phdr) * ph, int count)
{
    m->base = base;
    m->source = (struct cfi_source){.start = UINTPTR_MAX};
    for (int i = 0; i < count; i++) {
        uintptr_t start = base + ph[i].p_vaddr, limit = start + ph[i].p_memsz;
        if (ph[i].p_type == PT_GNU_EH_FRAME) {
            m->source.hdr = start;
            m->source.hdr_size = ph[i].p_memsz;
        }
        if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X)) continue;
        if (start < m->source.start) m->source.start = start;
        if (limit > m->source.limit) m->source.limit = limit;
    }
}

struct elf_list {
    struct elf_module *modules;
    int count, cap;
};

static inline int elf_collect(struct dl_phdr_info *info, size_t size, void *token)
{
    struct elf_list *list = token;
    if (list->count == list->cap) return 1;
    struct elf_module *m = &list->modules[list->count];
    snprintf(m->path, sizeof m->path, "%s", info->dlpi_name);
    elf_describe(m, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
    if (m->source.start < m->source.limit) list->count++;
    return 0;
}

/* All modules that are loaded now; at most |cap|. */
static inline int elf_loaded(struct elf_module *modules, int cap)
{
    struct elf_list list = {modules, 0, cap};
    dl_iterate_phdr(elf_collect, &list);
    return list.count;
}

/* The loaded module whose path contains |part|; "" is the main program. False: none. */
static inline int elf_find(const char *part, struct elf_module *module)
{
    static struct elf_module modules[128];
    int n = elf_loaded(modules, 128);
    for (int i = 0; i < n; i++) {
        if (part[0] ? strstr(modules[i].path, part) == NULL : modules[i].path[0] != 0) continue;
        *module = modules[i];
        return 1;
    }
    return 0;
}

/* Maps the file at |path| as its program headers say, without relocating it. False: no such file. */
static inline int elf_load_file(const char *path, struct elf_module *module)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0) return 0;
    struct stat st;
    fstat(fd, &st);
    char *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const ElfW(Ehdr) *eh = (const void *)file;
    const ElfW(Phdr) *ph = (const void *)(file + eh->e_phoff);
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < eh->e_phnum; i++) {
        if (ph[i].p_type != PT_LOAD) continue;
        if (ph[i].p_vaddr < low) low = ph[i].p_vaddr & ~4095UL;
        if (ph[i].p_vaddr + ph[i].p_memsz > high) high = ph[i].p_vaddr + ph[i].p_memsz;
    }
    char *space = mmap(NULL, high - low, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t base = (uintptr_t)space - low;
    for (int i = 0; i < eh->e_phnum; i++) {
        if (ph[i].p_type != PT_LOAD || !ph[i].p_filesz) continue;
        uintptr_t skip = ph[i].p_vaddr & 4095;
        mmap((void *)(base + ph[i].p_vaddr - skip), ph[i].p_filesz + skip, PROT_READ, MAP_PRIVATE | MAP_FIXED,
             fd, (off_t)(ph[i].p_offset - skip));
    }
    snprintf(module->path, sizeof module->path, "%s", path);
    elf_describe(module, base, ph, eh->e_phnum);
    munmap(file, (size_t)st.st_size);
    close(fd);
    return 1;
}

#endif
