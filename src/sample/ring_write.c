/* The handlers' side of the rings; async-signal-safe, this file holds nothing else. */
#include "sample/ring.h"

struct rings rings;

static inline uint32_t record_bytes(uint32_t words)
{
    return (uint32_t)sizeof(struct sample_record) + words * 8;
}

static struct sample_record *reserve_in(struct ring *ring, uint32_t bytes)
{
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
    uint32_t offset, pad;
    do {
        uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
        offset = head % RING_BYTES;
        pad = offset + bytes > RING_BYTES ? RING_BYTES - offset : 0;
        if (head + pad + bytes - tail > RING_BYTES) return 0;
    } while (!__atomic_compare_exchange_n(&ring->head, &head, head + pad + bytes, 1, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    if (pad) {
        __atomic_store_n((uint64_t *)(ring->data + offset), RING_PAD | pad, __ATOMIC_RELEASE);
        offset = 0;
    }
    return (struct sample_record *)(ring->data + offset);
}

struct sample_record *ring_reserve(uint32_t hint, uint32_t words)
{
    for (uint32_t i = 0; i < RING_COUNT; i++) {
        struct ring *ring = &rings.ring[(hint + i) % RING_COUNT];
        struct sample_record *record = ring->data ? reserve_in(ring, record_bytes(words)) : 0;
        if (record) return record;
    }
    __atomic_add_fetch(&rings.dropped_full, 1, __ATOMIC_RELAXED);
    return 0;
}

void ring_commit(struct sample_record *record, uint32_t words)
{
    __atomic_store_n(&record->commit, RING_COMMITTED | record_bytes(words), __ATOMIC_RELEASE);
}
