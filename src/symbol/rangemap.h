/*
 * Code ranges that change over time: a sorted set of [start, start + len) that never overlap, each with a
 * 64-bit payload. A new range kills every range it overlaps as a whole: code that was partly overwritten is
 * gone (62 % of the lines of a V8 perf map overlap an older one).
 *
 * A treap of 32-byte nodes in one array: indices instead of pointers, the priority is a hash of the index and
 * so costs no memory. 1,000,000 ranges take 32 to 40 MB. Every operation is O(log n) and does not recurse.
 *
 * One thread at a time; not async-signal-safe. Memory comes from sys/heap.
 */
#ifndef OTELPROF_SYMBOL_RANGEMAP_H
#define OTELPROF_SYMBOL_RANGEMAP_H

#include <stddef.h>
#include <stdint.h>

struct rangemap_node {
    uint64_t start;
    uint64_t len;
    uint64_t payload;
    uint32_t left, right; /* 0: none; the free list goes through |left| */
};

struct rangemap {
    struct rangemap_node *nodes; /* [0] is never used */
    uint32_t cap, used;
    uint32_t free_head;
    uint32_t root;
    size_t count; /* ranges in the map */
    void (*release)(void *context, uint64_t payload);
    void *context;
};

struct rangemap_range {
    uint64_t start;
    uint64_t len;
    uint64_t payload;
};

/* An empty map; takes no memory. |release| (NULL: none) is called with the payload of each range that leaves
 * the map by being overlapped, removed or cleared; it must not touch the map. */
void rangemap_init(struct rangemap *map, void (*release)(void *context, uint64_t payload), void *context);

/* Adds [start, start + len). 0; -EINVAL if |len| is 0 or the range wraps; -ENOMEM: then the overlapped ranges
 * are gone all the same, and |payload| stays the caller's. */
int rangemap_insert(struct rangemap *map, uint64_t start, uint64_t len, uint64_t payload);

/* Removes the range that starts exactly at |start|: 0 or -ENOENT. */
int rangemap_remove(struct rangemap *map, uint64_t start);

/* The range that starts exactly at |from| starts at |to| from now on, and kills what it overlaps there. 0,
 * -ENOENT, or -EINVAL if it would wrap (then it stays where it is). Needs no memory. */
int rangemap_move(struct rangemap *map, uint64_t from, uint64_t to);

/* 1 and the range that contains |address|, or 0. */
int rangemap_lookup(const struct rangemap *map, uint64_t address, struct rangemap_range *range);

/* Removes the ranges that |keep| gives 0 for; it must not touch the map. */
void rangemap_retain(struct rangemap *map, int (*keep)(void *context, uint64_t start, uint64_t len),
                     void *context);

/* Releases every range and gives the memory back; the map stays usable. */
void rangemap_clear(struct rangemap *map);

/* The bytes that the map holds now. */
size_t rangemap_bytes(const struct rangemap *map);

#endif
