/*
 * One pass over an ELF symbol table that answers a batch of addresses: no index is built or kept. 2,000
 * addresses against node's 110,000 symbols cost a few milliseconds. Background thread; not async-signal-safe.
 *
 * Which symbol an address belongs to, first rule that gives one:
 *  1. a function (STT_FUNC, STT_GNU_IFUNC) whose [value, value + size) contains it, the one that begins last;
 *  2. the last function that begins at or below it, if that has size 0 (assembly): such a function reaches to
 *     the next function or the end of its section;
 *  3. a label without a type in an executable section, in the same way.
 * Of several at one address: global before local before weak, then fewer leading underscores, then the
 * shorter.
 */
#ifndef OTELPROF_SYMBOL_SYMTAB_H
#define OTELPROF_SYMBOL_SYMTAB_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/elf.h"

#define SYMTAB_NAME_MAX 4096 /* with the terminator; longer names are cut */

/* All addresses are virtual addresses of the file. */
struct symtab_answer {
    uint64_t address; /* in */
    uint64_t low;     /* every address in [low, high) has this same answer */
    uint64_t high;
    int found;
    uint64_t start; /* of the symbol */
    uint32_t name;  /* its st_name */
};

/* Fills |answers|, which are sorted by address without repetitions. 0 or a negative errno (-ENOENT: no string
 * table; errors of elf.h). */
int symtab_find(const struct elf *elf, const Elf64_Shdr *table, struct symtab_answer *answers, size_t count);

/* The name at |index| of |table|'s strings, without a symbol version ("@@GLIBC_2.14"); its length, or an
 * error. */
int symtab_name(const struct elf *elf, const Elf64_Shdr *table, uint32_t index, char name[SYMTAB_NAME_MAX]);

#endif
