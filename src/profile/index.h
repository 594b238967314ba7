/*
 * The hash index that all interned tables of a profile share: open addressing with linear probing over (hash,
 * id) pairs, at most half full. It holds ids only; the caller's table holds the entries and says whether one
 * equals a key. Id 0 marks an empty slot, so the zero entry of a table is never in the index.
 *
 * One thread at a time; not for signal handlers.
 */
#ifndef OTELPROF_PROFILE_INDEX_H
#define OTELPROF_PROFILE_INDEX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/heap.h"

struct index_slot {
    uint32_t hash;
    uint32_t id;
};

/* All zero is an empty index. */
struct index {
    struct index_slot *slots;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
};

enum { INDEX_FIRST_CAPACITY = 64 };

/* True if entry |id| of |table| is |key|. */
typedef int (*index_equal)(const void *table, uint32_t id, const void *key);

/* The id whose entry equals |key|, or 0. |equal| is known at every call, so the compiler calls it directly.
 */
static inline __attribute__((always_inline)) uint32_t
index_find(const struct index *index, uint32_t hash, index_equal equal, const void *table, const void *key)
{
    if (!index->capacity) return 0;
    uint32_t mask = index->capacity - 1;
    for (uint32_t at = hash & mask; index->slots[at].id; at = (at + 1) & mask)
        if (index->slots[at].hash == hash && equal(table, index->slots[at].id, key))
            return index->slots[at].id;
    return 0;
}

static inline void index_put(struct index_slot *slots, uint32_t mask, struct index_slot slot)
{
    uint32_t at = slot.hash & mask;
    while (slots[at].id) at = (at + 1) & mask;
    slots[at] = slot;
}

/* Bytes that the next index_add takes from the heap; 0 when there is room. */
static inline size_t index_growth(const struct index *index)
{
    if (index->count < index->capacity / 2) return 0;
    uint32_t capacity = index->capacity ? index->capacity * 2 : INDEX_FIRST_CAPACITY;
    return (size_t)capacity * sizeof(struct index_slot);
}

/* Adds |id| (not 0, not there yet) under |hash|: 0 or -ENOMEM, the index unchanged. */
static inline int index_add(struct index *index, uint32_t hash, uint32_t id)
{
    if (index_growth(index)) {
        uint32_t capacity = index->capacity ? index->capacity * 2 : INDEX_FIRST_CAPACITY;
        if (!capacity) return -ENOMEM;
        struct index_slot *slots = heap_zalloc(capacity, sizeof *slots);
        if (!slots) return -ENOMEM;
        for (uint32_t i = 0; i < index->capacity; i++)
            if (index->slots[i].id) index_put(slots, capacity - 1, index->slots[i]);
        heap_free(index->slots);
        index->slots = slots;
        index->capacity = capacity;
    }
    index_put(index->slots, index->capacity - 1, (struct index_slot){hash, id});
    index->count++;
    return 0;
}

static inline void index_clear(struct index *index)
{
    heap_free(index->slots);
    *index = (struct index){0};
}

#endif
