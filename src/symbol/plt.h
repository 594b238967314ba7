/*
 * Names for procedure linkage table entries, which have no symbols: "printf@plt". Background thread; not
 * async-signal-safe.
 */
#ifndef OTELPROF_SYMBOL_PLT_H
#define OTELPROF_SYMBOL_PLT_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/elf.h"
#include "symbol/symtab.h"

struct plt_entry {
    uint64_t start, limit;        /* virtual addresses of the entry */
    char target[SYMTAB_NAME_MAX]; /* the symbol it jumps to as the linker sees it; "" unknown */
};

/* True if virtual address |address| is in .plt, .plt.sec or .plt.got (or another section .plt*) of |elf|. */
int plt_contains(const struct elf *elf, uint64_t address);

/*
 * The entry that contains |address|: 0, or -ENOENT if it is not in such a section. The target is found by
 * decoding the entry's jump (x86-64: jmp *slot(%rip)) and looking the slot up in the relocations of .rela.plt
 * and .rela.dyn, so that the order of entries, which differs between linkers, does not matter. Entries for
 * functions that are chosen at load time (IRELATIVE) and the table's head have no target.
 */
int plt_find(const struct elf *elf, uint64_t address, struct plt_entry *entry);

#endif
