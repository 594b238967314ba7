/*
 * Native function names, a batch per binary. Files are opened only for addresses that are new: between two
 * neighbouring symbol boundaries the answer is the same, so every answer, also "unknown", is remembered for
 * its whole range. Background thread; not async-signal-safe.
 *
 * Names come from .symtab, or that of the detached debug file in /usr/lib/debug/.build-id, or .dynsym; PLT
 * entries are "printf@plt", or "[plt]" if the target is not known. The vDSO's come from its image in memory.
 */
#ifndef OTELPROF_SYMBOL_NAMES_H
#define OTELPROF_SYMBOL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/module.h"

struct name_query {
    uintptr_t address;       /* in: runtime; for a return address, the address minus one */
    const char *name;        /* out: for display, demangled; NULL unknown */
    const char *system_name; /* out: as the linker sees it, without a version */
    uint64_t start;          /* out: runtime address where the function begins; 0 unknown */
};

/*
 * Answers |count| queries about |module|, in any order. Both names belong to the module and live as long as
 * it (for ever): do not free or change them. 0; or the reason why the binary could not be read (-ESTALE:
 * replaced, -ENOENT, -ENOMEM, ...): then what was known before is answered all the same, and the rest is
 * NULL. A module that could not be read is not tried again, unless descriptors or memory were short.
 */
int names_resolve(struct module *module, struct name_query *queries, size_t count);

/* Bytes of memory that the names of |module| take, strings not counted. */
size_t names_bytes(const struct module *module);

#endif
