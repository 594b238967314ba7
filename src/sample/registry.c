#include "sample/registry.h"

#include <errno.h>
#include <string.h>

#include "sys/heap.h"
#include "sys/lock.h"

enum { PROBES = 64 };

static struct {
    struct lock lock;
    uint32_t free_head; /* index + 1 of the first free slot; the next one is kept in the slot's ticks */
    unsigned used;
    uint64_t refused;
} registry;

static int add_chunk(void)
{
    uint32_t count = registry_tables.chunk_count;
    if (count == REGISTRY_CHUNKS) return -ENOMEM;
    struct thread *chunk = heap_map(REGISTRY_CHUNK_SLOTS * sizeof *chunk);
    struct unwind_memo *memos = heap_map(REGISTRY_CHUNK_SLOTS * sizeof *memos);
    if (!chunk || !memos) {
        heap_unmap(chunk, chunk ? REGISTRY_CHUNK_SLOTS * sizeof *chunk : 0);
        heap_unmap(memos, memos ? REGISTRY_CHUNK_SLOTS * sizeof *memos : 0);
        return -ENOMEM;
    }
    for (uint32_t i = REGISTRY_CHUNK_SLOTS; i-- > 0;) {
        chunk[i].index = count * REGISTRY_CHUNK_SLOTS + i;
        chunk[i].memo = &memos[i];
        chunk[i].timer = -1;
        chunk[i].ticks = registry.free_head;
        registry.free_head = chunk[i].index + 1;
    }
    registry_tables.chunks[count] = chunk;
    __atomic_store_n(&registry_tables.chunk_count, count + 1, __ATOMIC_RELEASE);
    return 0;
}

int registry_init(void)
{
    lock_acquire(&registry.lock);
    int rc = registry_tables.chunk_count ? 0 : add_chunk();
    lock_release(&registry.lock);
    return rc;
}

/* The slot starts from nothing but its identity and its memo, whose memory is kept. */
static void clear_slot(struct thread *thread)
{
    struct thread fresh = {.index = thread->index,
                           .memo = thread->memo,
                           .timer = -1,
                           .final_cpu = -1,
                           .generation = thread->generation + 1,
                           .state = THREAD_CLAIMED};
    unwind_forget(thread->memo);
    *thread = fresh;
}

struct thread *registry_claim(int tid)
{
    lock_acquire(&registry.lock);
    if (!registry.free_head && add_chunk()) {
        registry.refused++;
        lock_release(&registry.lock);
        return NULL;
    }
    struct thread *thread = registry_at(registry.free_head - 1);
    registry.free_head = thread->ticks;
    registry.used++;
    clear_slot(thread);
    thread->tid = tid;
    lock_release(&registry.lock);
    return thread;
}

struct thread *registry_claim_uncounted(void)
{
    struct thread *thread = registry_claim(0);
    if (thread) __atomic_sub_fetch(&registry.used, 1, __ATOMIC_RELAXED);
    return thread;
}

static uint32_t *bucket_of(int tid, uint32_t probe)
{
    return &registry_tables.by_tid[((uint32_t)tid * 2654435761u + probe) % REGISTRY_TID_BUCKETS];
}

/* Entries of slots that are gone are reused and never cleared: a look-up checks the slot itself. */
static int bucket_is_reusable(uint32_t entry)
{
    return !entry || registry_at(entry - 1)->state == THREAD_FREE;
}

void registry_publish(struct thread *thread, int tid)
{
    lock_acquire(&registry.lock);
    thread->tid = tid;
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t *bucket = bucket_of(tid, probe);
        if (!bucket_is_reusable(*bucket)) continue;
        __atomic_store_n(bucket, thread->index + 1, __ATOMIC_RELEASE);
        break;
    }
    __atomic_store_n(&thread->state, THREAD_LIVE, __ATOMIC_RELEASE);
    lock_release(&registry.lock);
}

void registry_end(struct thread *thread, int64_t final_cpu)
{
    thread->final_cpu = final_cpu;
    __atomic_store_n(&thread->state, THREAD_ENDED, __ATOMIC_RELEASE);
}

void registry_release(struct thread *thread)
{
    lock_acquire(&registry.lock);
    __atomic_store_n(&thread->state, THREAD_FREE, __ATOMIC_RELEASE);
    thread->ticks = registry.free_head;
    registry.free_head = thread->index + 1;
    registry.used--;
    lock_release(&registry.lock);
}

unsigned registry_count(void)
{
    return __atomic_load_n(&registry.used, __ATOMIC_RELAXED);
}

uint64_t registry_refused(void)
{
    return __atomic_load_n(&registry.refused, __ATOMIC_RELAXED);
}

void registry_each(void (*visit)(struct thread *, void *), void *context)
{
    uint32_t count = __atomic_load_n(&registry_tables.chunk_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count * REGISTRY_CHUNK_SLOTS; i++) {
        struct thread *thread = registry_at(i);
        if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) != THREAD_FREE) visit(thread, context);
    }
}

void registry_reset(void)
{
    lock_reset(&registry.lock);
    memset(registry_tables.by_tid, 0, sizeof registry_tables.by_tid);
    registry.free_head = 0;
    registry.used = 0;
    for (uint32_t i = registry_tables.chunk_count * REGISTRY_CHUNK_SLOTS; i-- > 0;) {
        struct thread *thread = registry_at(i);
        thread->state = THREAD_FREE;
        thread->epoch = 0;
        thread->ticks = registry.free_head;
        registry.free_head = i + 1;
    }
}
