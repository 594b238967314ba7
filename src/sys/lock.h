/*
 * A three-state futex lock (free, held, held with waiters; U. Drepper, "Futexes Are Tricky", mutex2). Not for
 * signal handlers. No libc mutex: our background thread is unknown to libc, and a forked child must be able
 * to reset it.
 */
#ifndef OTELPROF_SYS_LOCK_H
#define OTELPROF_SYS_LOCK_H

#include <linux/futex.h>

#include "sys/rawcall.h"

struct lock {
    int state;
};

static inline void lock_acquire(struct lock *lock)
{
    int free_state = 0;
    if (__atomic_compare_exchange_n(&lock->state, &free_state, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE) != 0)
        sys_call4(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, 0);
}

static inline void lock_release(struct lock *lock)
{
    if (__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2)
        sys_call3(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1);
}

/* Frees the lock whoever held it: only in a forked child, where the holder does not exist. */
static inline void lock_reset(struct lock *lock)
{
    __atomic_store_n(&lock->state, 0, __ATOMIC_RELAXED);
}

#endif
