/*
 * The threads we sample: one slot each, found by pointer (from a timer's cookie), by index (from a sample) or
 * by thread id (from a process-wide timer). Slots live in mmap'd chunks that are never unmapped, so a stale
 * pointer in a late signal still points at a slot.
 *
 * Life of a slot: FREE -> CLAIMED (by the creator of the thread, or the background thread for one it
 * discovered) -> LIVE (timer armed) -> ENDED (by the thread itself at its end, with its final CPU time) ->
 * LAST_DRAIN (background thread: all that the thread wrote is in the rings now) -> FREE (likewise, after it
 * has drained them).
 */
#ifndef OTELPROF_SAMPLE_REGISTRY_H
#define OTELPROF_SAMPLE_REGISTRY_H

#include <stdint.h>

#include "symbol/v8tier.h"
#include "unwind/walk.h"

enum {
    REGISTRY_CHUNK_SLOTS = 32,
    REGISTRY_CHUNKS = 512, /* 16,384 threads at a time; one more runs unsampled and is counted */
    REGISTRY_MAX_THREADS = REGISTRY_CHUNK_SLOTS * REGISTRY_CHUNKS,
    THREAD_NAME_BYTES = 16, /* the kernel's TASK_COMM_LEN */
    THREAD_JS_FRAMES = 128
};

enum thread_state { THREAD_FREE, THREAD_CLAIMED, THREAD_LIVE, THREAD_ENDED, THREAD_LAST_DRAIN };

struct thread {
    uint32_t index;
    uint32_t state; /* enum thread_state */
    int tid;
    int timer; /* the kernel's timer id, -1: none */

    /* Handler and owner. */
    uint64_t epoch;       /* of the unwind tables in use; 0 outside the handler (unwind/tables.h) */
    uintptr_t stack_low;  /* [stack_low, stack_high) is known to be readable */
    uintptr_t stack_high; /* 0: unknown */
    uintptr_t stack_root; /* frames from there up are libc's, which began the thread; 0: unknown */
    uintptr_t
        unknown_sp; /* where a thread of unknown stack was seen: the background thread finds its bounds */
    uint32_t destructor_rounds;        /* preload/threads.c */
    uint32_t ticks;                    /* handler runs since the slot was claimed */
    void *isolate;                     /* struct node_isolate of this thread, or NULL (node/isolate.h) */
    struct unwind_memo *memo;          /* this thread's last stack */
    void *js_frames[THREAD_JS_FRAMES]; /* room for V8's own stack sample */

    /* pthread_create's wrapper. */
    void *(*start)(void *);
    void *argument;

    int small_stack; /* no signal frame fits: the thread gets no timer, its time is [unsampled] */

    int believes_blocked; /* the program has blocked our signal in this thread, as far as it knows
                             (preload/masks.c) */

    /* Written by the thread at its end, read when ENDED. */
    int64_t final_cpu; /* ns of its CPU clock, -1: unknown */

    /* Background thread only. */
    uintptr_t
        start_routine; /* the function the thread began in; of the main thread the program's entry point */
    uint32_t ordinal;  /* from 1, among the threads that pthread_create began in |start_routine| */
    int64_t accounted_cpu;  /* ns of its CPU clock that earlier windows hold */
    int64_t window_sampled; /* ns that this window's samples hold */
    uint32_t window_ticks;
    uint32_t generation;    /* counts the threads that had this slot */
    uint32_t checked_ticks; /* as of the last look at its signal mask */
    int64_t checked_cpu;
    int blocked_looks;         /* how often running its mask was seen to hold our signal */
    int signal_blocked;        /* its timer was taken away: the thread blocks our signal */
    uint32_t window;           /* for which |labels| holds */
    uint32_t labels[V8_TIERS]; /* its label sets in that window's profile, 0: none yet */
    char name[THREAD_NAME_BYTES];
};

/* Reserves the first chunk: 0 or -ENOMEM. */
int registry_init(void);

/* A slot for thread |tid| (0: not known yet), CLAIMED, or NULL when all are taken. Any thread; not in
 * handlers. */
struct thread *registry_claim(int tid);

/* A slot that is no thread's and does not count: for good. */
struct thread *registry_claim_uncounted(void);

/* |tid| is known now: makes the slot LIVE and findable by it. */
void registry_publish(struct thread *thread, int tid);

/* Makes the slot ENDED: called by the thread itself, or by the background thread for one that is gone. */
void registry_end(struct thread *thread, int64_t final_cpu);

/* Makes an ENDED or CLAIMED slot FREE. Background thread, or the creator whose pthread_create failed. */
void registry_release(struct thread *thread);

/* Slots in use now. */
unsigned registry_count(void);

/* Threads that found no slot since the start. */
uint64_t registry_refused(void);

/* Calls |visit| for every slot that is not FREE. Background thread. */
void registry_each(void (*visit)(struct thread *, void *), void *context);

/* In a forked child, single-threaded: forgets all threads. */
void registry_reset(void);

/* The three below are async-signal-safe (registry_lookup.c). */

/* True if |thread| is the address of a slot. */
int registry_owns(const struct thread *thread);

/* The slot with this index; |index| must come from a slot. */
struct thread *registry_at(uint32_t index);

/* The LIVE slot of |tid| or NULL. */
struct thread *registry_find(int tid);

/* Shared by registry.c and registry_lookup.c alone. */
enum { REGISTRY_TID_BUCKETS = 32768 };
struct registry_tables {
    struct thread *chunks[REGISTRY_CHUNKS];
    uint32_t chunk_count;
    uint32_t
        by_tid[REGISTRY_TID_BUCKETS]; /* index + 1, open addressing by tid; a hint checked against the slot */
};
extern struct registry_tables registry_tables;

#endif
