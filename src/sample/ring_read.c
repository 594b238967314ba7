#include <errno.h>
#include <string.h>

#include "sample/ring.h"
#include "sys/heap.h"

int rings_init(void)
{
    if (rings.ring[0].data) return 0;
    unsigned char *memory = heap_map((size_t)RING_COUNT * RING_BYTES);
    if (!memory) return -ENOMEM;
    for (int i = 0; i < RING_COUNT; i++) rings.ring[i].data = memory + (size_t)i * RING_BYTES;
    return 0;
}

void rings_reset(void)
{
    for (int i = 0; i < RING_COUNT; i++) {
        struct ring *ring = &rings.ring[i];
        if (ring->data && ring->head) memset(ring->data, 0, RING_BYTES);
        ring->head = ring->tail = 0;
    }
    rings.dropped_full = 0;
}

static void drain_one(struct ring *ring, void (*take)(const struct sample_record *, void *), void *context)
{
    uint64_t tail = ring->tail;
    while (tail != __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE)) {
        unsigned char *at = ring->data + tail % RING_BYTES;
        uint64_t commit = __atomic_load_n((uint64_t *)at, __ATOMIC_ACQUIRE);
        if (!commit) break; /* reserved, still being written */
        uint32_t bytes = (uint32_t)commit;
        if (commit & RING_COMMITTED) take((const struct sample_record *)at, context);
        memset(at, 0, bytes);
        tail += bytes;
        __atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
    }
}

void rings_drain(void (*take)(const struct sample_record *, void *), void *context)
{
    for (int i = 0; i < RING_COUNT; i++) drain_one(&rings.ring[i], take, context);
}
