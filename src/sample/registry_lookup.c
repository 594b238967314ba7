/* Async-signal-safe look-ups; this file holds nothing else. */
#include "sample/registry.h"

struct registry_tables registry_tables;

int registry_owns(const struct thread *thread)
{
    uint32_t count = __atomic_load_n(&registry_tables.chunk_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t offset = (uintptr_t)thread - (uintptr_t)registry_tables.chunks[i];
        if (offset < REGISTRY_CHUNK_SLOTS * sizeof *thread) return offset % sizeof *thread == 0;
    }
    return 0;
}

struct thread *registry_at(uint32_t index)
{
    return &registry_tables.chunks[index / REGISTRY_CHUNK_SLOTS][index % REGISTRY_CHUNK_SLOTS];
}

struct thread *registry_find(int tid)
{
    for (uint32_t probe = 0; probe < 64; probe++) {
        uint32_t bucket = ((uint32_t)tid * 2654435761u + probe) % REGISTRY_TID_BUCKETS;
        uint32_t entry = __atomic_load_n(&registry_tables.by_tid[bucket], __ATOMIC_ACQUIRE);
        if (!entry) return 0;
        struct thread *thread = registry_at(entry - 1);
        if (thread->tid == tid && __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_LIVE)
            return thread;
    }
    return 0;
}
