/*
 * Where samples wait: eight rings of 128 KiB, each written by many handlers and read by the background
 * thread. A thread starts at its own ring and tries the others when that is full, then drops and counts.
 *
 * A record is reserved by moving |head|, filled, and made visible by its first word (the commit word: its
 * length with RING_COMMITTED). A record that would cross the end is preceded by a pad. The reader clears what
 * it has read before it moves |tail|, so that a reserved but unwritten record reads as 0. (Same scheme as the
 * BPF ring buffer.)
 */
#ifndef OTELPROF_SAMPLE_RING_H
#define OTELPROF_SAMPLE_RING_H

#include <stdint.h>

#include "sample/record.h"

enum { RING_COUNT = 8, RING_BYTES = 128 * 1024 };

#define RING_COMMITTED (1ULL << 62)
#define RING_PAD (1ULL << 63)

struct ring {
    _Alignas(64) uint64_t head;
    _Alignas(64) uint64_t tail;
    _Alignas(64) unsigned char *data;
};

struct rings {
    struct ring ring[RING_COUNT];
    uint64_t dropped_full; /* samples that found no room */
};

extern struct rings rings;

/* Maps the memory: 0 or -ENOMEM. */
int rings_init(void);

/* Forgets everything, in a forked child. */
void rings_reset(void);

/*
 * Hands every committed record to |take|, ring by ring, oldest first within a ring. The record's memory is
 * the ring's: it is gone when |take| returns. Background thread (or, at exit, the one thread that stands in
 * for it).
 */
void rings_drain(void (*take)(const struct sample_record *, void *), void *context);

/*
 * Room for a record with |words| words, starting with ring |hint| modulo RING_COUNT; NULL and counted when
 * all are full. Must be followed by ring_commit. Async-signal-safe (ring_write.c).
 */
struct sample_record *ring_reserve(uint32_t hint, uint32_t words);
void ring_commit(struct sample_record *record, uint32_t words);

#endif
