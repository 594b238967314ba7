#include "unwind/tables.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "sys/heap.h"

/* A snapshot and what its owner knows of it. */
struct snapshot {
    struct unwind_tables tables;
    struct snapshot *newer; /* in the list of those that wait to be freed, oldest first */
    uint64_t epoch;         /* free when no slot is below */
    uint32_t doomed_count;
    struct cfi_table **doomed; /* tables that no newer snapshot has; room for all */
    struct unwind_module modules[];
};

static struct {
    struct snapshot *oldest; /* waiting */
    struct snapshot *newest;
    uint32_t generation;
} state;

static size_t snapshot_bytes(uint32_t count)
{
    return sizeof(struct snapshot) + count * (sizeof(struct unwind_module) + sizeof(struct cfi_table *));
}

static void free_snapshot(struct snapshot *s)
{
    heap_unmap(s->tables.cache, TABLES_CACHE_SLOTS * sizeof(uint64_t));
    heap_free(s);
}

static void insert_module(struct snapshot *s, const struct unwind_module *module)
{
    uint32_t at = s->tables.count++;
    for (; at && s->modules[at - 1].start > module->start; at--) s->modules[at] = s->modules[at - 1];
    s->modules[at] = *module;
}

/* A binary search over ranges needs them disjoint: keeps the first of two that overlap. */
static void drop_overlaps(struct snapshot *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->tables.count; i++) {
        const struct unwind_module *m = &s->modules[i];
        if (m->limit <= m->start || (kept && m->start < s->modules[kept - 1].limit)) continue;
        s->modules[kept++] = *m;
    }
    s->tables.count = kept;
}

static struct snapshot *make_snapshot(const struct unwind_module *modules, uint32_t count)
{
    struct snapshot *s = heap_zalloc(1, snapshot_bytes(count));
    if (!s) return NULL;
    s->tables.cache = heap_map(TABLES_CACHE_SLOTS * sizeof(uint64_t));
    if (!s->tables.cache) {
        heap_free(s);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) insert_module(s, &modules[i]);
    drop_overlaps(s);
    s->doomed = (struct cfi_table **)(s->modules + count);
    s->tables.modules = s->modules;
    s->tables.rules = rule_array();
    s->tables.generation = ++state.generation;
    return s;
}

static int lists(const struct unwind_module *modules, uint32_t count, const struct cfi_table *cfi)
{
    uint32_t i = 0;
    while (i < count && modules[i].cfi != cfi) i++;
    return i < count;
}

/* Puts |old| into the queue, together with its tables that are not among the |count| |modules| any more. */
static void retire(struct snapshot *old, uint64_t epoch, const struct unwind_module *modules, uint32_t count)
{
    old->epoch = epoch;
    for (uint32_t i = 0; i < old->tables.count; i++) {
        struct cfi_table *cfi = old->modules[i].cfi;
        if (cfi && !lists(modules, count, cfi)) old->doomed[old->doomed_count++] = cfi;
    }
    if (state.newest)
        state.newest->newer = old;
    else
        state.oldest = old;
    state.newest = old;
}

int tables_publish(const struct unwind_module *modules, uint32_t count)
{
    struct snapshot *s = make_snapshot(modules, count);
    uint64_t epoch;
    if (!s) return -ENOMEM;
    struct snapshot *old = (struct snapshot *)tables_swap(&s->tables, &epoch);
    if (old) retire(old, epoch, modules, count);
    return 0;
}

/* The lowest epoch that some thread is inside with; the highest number if there is none. */
static uint64_t lowest_epoch(tables_next_slot *next, void *token)
{
    uint64_t lowest = UINT64_MAX;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (const uint64_t *slot = next(token); slot; slot = next(token)) {
        uint64_t epoch = __atomic_load_n(slot, __ATOMIC_SEQ_CST);
        if (epoch && epoch < lowest) lowest = epoch;
    }
    return lowest;
}

unsigned tables_reclaim(tables_next_slot *next, void *token)
{
    unsigned waiting = 0;
    if (!state.oldest) return 0;
    uint64_t lowest = lowest_epoch(next, token);
    /* Oldest first: a doomed table is in no newer snapshot, but in older ones. */
    while (state.oldest && state.oldest->epoch <= lowest) {
        struct snapshot *s = state.oldest;
        state.oldest = s->newer;
        if (!state.oldest) state.newest = NULL;
        for (uint32_t i = 0; i < s->doomed_count; i++) cfi_free(s->doomed[i]);
        free_snapshot(s);
    }
    for (struct snapshot *s = state.oldest; s; s = s->newer) waiting++;
    return waiting;
}
