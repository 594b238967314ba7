/* What the files of this directory share: whether this process is profiled, and what the constructor has to
 * prepare. */
#ifndef OTELPROF_PRELOAD_ACTIVE_H
#define OTELPROF_PRELOAD_ACTIVE_H

struct preload {
    int active;          /* set once by the constructor, after everything is ready */
    int exit_timeout_ms; /* how long the destructor may wait for the last window */
};

extern struct preload preload;

/* What every interposed function asks first: one predictable branch. Async-signal-safe. */
static inline int preload_active(void)
{
    return __builtin_expect(__atomic_load_n(&preload.active, __ATOMIC_ACQUIRE), 0);
}

/* Takes a thread-specific key, so that the ends of threads are seen (threads.c). Constructor. */
void preload_prepare_threads(void);

/* Registers the child's handler (fork.c). Constructor. */
void preload_prepare_fork(void);

#endif
