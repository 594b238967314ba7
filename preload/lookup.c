/* Sources: gABI 4.1 chapter 5 (dynamic section), glibc elf/dl-lookup.c (GNU hash table, hidden versions). */
#include "lookup.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern int dl_iterate_phdr(int (*)(struct dl_phdr_info *, size_t, void *), void *) __attribute__((weak));

enum { VERSION_HIDDEN = 0x8000, BLOOM_HEADER = 4 };

struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
    const uint16_t *versions; /* NULL: none */
};

struct search {
    const char *name;
    uint32_t hash;
    int passed_us;
    void *found;
};

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++) hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static void read_dynamic(const ElfW(Dyn) * entry, struct tables *tables)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB) tables->symbols = at;
        if (entry->d_tag == DT_STRTAB) tables->names = at;
        if (entry->d_tag == DT_GNU_HASH) tables->hash = at;
        if (entry->d_tag == DT_VERSYM) tables->versions = at;
    }
}

static int matches(const struct tables *t, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &t->symbols[index];
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           !(t->versions && t->versions[index] & VERSION_HIDDEN) && !strcmp(t->names + symbol->st_name, name);
}

static const ElfW(Sym) * find(const struct tables *t, const struct search *search)
{
    uint32_t buckets = t->hash[0], first = t->hash[1], bloom_words = t->hash[2];
    const uint32_t *bucket = t->hash + BLOOM_HEADER + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = bucket + buckets;
    uint32_t index = buckets ? bucket[search->hash % buckets] : 0;
    if (index < first) return NULL;
    for (;; index++) {
        uint32_t hash = chain[index - first];
        if ((hash | 1) == (search->hash | 1) && matches(t, index, search->name)) return &t->symbols[index];
        if (hash & 1) return NULL;
    }
}

/* The addresses of the kernel's own object are not relocated. */
static int is_usable(const struct tables *t, uintptr_t base)
{
    return t->symbols && t->names && t->hash && (uintptr_t)t->symbols >= base && (uintptr_t)t->hash >= base;
}

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    struct tables tables = {0};
    uintptr_t here = (uintptr_t)gnu_hash;
    int ours = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_DYNAMIC) read_dynamic((const ElfW(Dyn) *)start, &tables);
        if (segment->p_type == PT_LOAD && here - start < segment->p_memsz) ours = 1;
    }
    if (ours) search->passed_us = 1;
    if (ours || !search->passed_us || !is_usable(&tables, info->dlpi_addr)) return 0;
    const ElfW(Sym) *symbol = find(&tables, search);
    if (symbol) search->found = (void *)(info->dlpi_addr + symbol->st_value);
    return symbol != NULL;
}

void *lookup_next(const char *name)
{
    struct search search = {.name = name, .hash = gnu_hash(name)};
    if (dl_iterate_phdr) dl_iterate_phdr(look, &search);
    return search.found;
}
