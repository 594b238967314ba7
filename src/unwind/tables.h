/*
 * All modules' unwind tables as one immutable snapshot, for signal handlers to read without a lock. The
 * background thread makes a new one whenever a library comes or goes; old ones are freed when no handler can
 * be using them any more.
 *
 * The scheme (epochs, after K. Fraser, "Practical lock-freedom", 5.2.3): every thread that walks has a 64-bit
 * word, its slot, that is 0 while it is outside. tables_enter stores the global epoch there and then loads
 * the current snapshot; tables_publish swaps the snapshot and then raises the epoch to E. A thread that got
 * the old one stored an epoch below E before the swap; one whose slot is 0 or at least E after the swap has
 * loaded, or will load, the new one. So the old one goes when no slot holds a value in 1 .. E - 1.
 */
#ifndef OTELPROF_UNWIND_TABLES_H
#define OTELPROF_UNWIND_TABLES_H

#include <stdint.h>

#include "unwind/cfi.h"
#include "unwind/tables_current.h"

/* The PC cache: direct-mapped words of pc << 16 | rule number + 1, 0: free. A pc has 47 bits, so one word
 * holds both and cannot be torn. 32 KiB, of which only the used pages count. */
enum { TABLES_CACHE_BITS = 12, TABLES_CACHE_SLOTS = 1 << TABLES_CACHE_BITS };

struct unwind_module {
    uintptr_t start; /* the range of addresses with all of its code */
    uintptr_t limit;
    struct cfi_table *cfi; /* NULL: nothing is known of its frames */
};

struct unwind_tables {
    uint32_t generation; /* 1, 2, ... of this process */
    uint32_t count;
    const struct unwind_rule *rules;
    const struct unwind_module *modules; /* count, ascending, not overlapping */
    uint64_t *cache;                     /* TABLES_CACHE_SLOTS; relaxed atomic reads and writes */
};

/*
 * Publishes a snapshot of exactly these |count| |modules|, in any order (one that overlaps an earlier address
 * is left out). On 0 the module's cfi tables belong to the snapshots: a table that was in the last one and is
 * not in |modules| is freed with the last snapshot that has it. -ENOMEM: nothing has changed, and new tables
 * are still the caller's. Background thread only.
 */
int tables_publish(const struct unwind_module *modules, uint32_t count);

/* The next thread's slot word, NULL after the last one; |token| is the caller's. */
typedef const uint64_t *tables_next_slot(void *token);

/*
 * Frees what no slot can be using; all slots that may ever pass to tables_enter must be enumerated. Returns
 * the number of snapshots that are still waiting. Background thread only; call it some time after
 * tables_publish, and again while it returns more than 0.
 */
unsigned tables_reclaim(tables_next_slot *next, void *token);

/* The module with |pc|, or NULL. |tables| may be NULL. Async-signal-safe. */
static inline const struct unwind_module *tables_find(const struct unwind_tables *tables, uintptr_t pc)
{
    uint32_t low = 0, high = tables ? tables->count : 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (tables->modules[middle].limit <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!tables || low == tables->count || pc < tables->modules[low].start) return NULL;
    return &tables->modules[low];
}

/* Is |pc| in some module's code? Else it is JIT code, or wild. Async-signal-safe. */
static inline int tables_contains(const struct unwind_tables *tables, uintptr_t pc)
{
    return tables_find(tables, pc) != NULL;
}

/* The rule number for |pc|; UNWIND_RULE_INVALID for a pc that nothing is known of. Async-signal-safe. */
static inline unsigned tables_lookup(const struct unwind_tables *tables, uintptr_t pc)
{
    const struct unwind_module *module = tables_find(tables, pc);
    return module && module->cfi ? cfi_lookup(module->cfi, pc) : UNWIND_RULE_INVALID;
}

/* The same through the PC cache; |tables| is not NULL and |pc| below 1 << 47. Async-signal-safe. */
static inline unsigned tables_lookup_cached(const struct unwind_tables *tables, uintptr_t pc)
{
    uint64_t *slot = &tables->cache[(pc * 0x9e3779b97f4a7c15ULL) >> (64 - TABLES_CACHE_BITS)];
    uint64_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (word >> 16 == pc && (word & 0xffff)) return (unsigned)(word & 0xffff) - 1;
    unsigned rule = tables_lookup(tables, pc);
    __atomic_store_n(slot, (uint64_t)pc << 16 | (rule + 1), __ATOMIC_RELAXED);
    return rule;
}

#endif
