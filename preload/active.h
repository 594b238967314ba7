/* Whether this process is profiled: what every interposed function asks first, one predictable branch. */
#ifndef OTELPROF_PRELOAD_ACTIVE_H
#define OTELPROF_PRELOAD_ACTIVE_H

struct preload {
    int active;          /* set once by the constructor, after everything is ready */
    int exit_timeout_ms; /* how long the destructor may wait for the last window */
    unsigned thread_key; /* its destructor is a thread's last act */
    int has_thread_key;
};

extern struct preload preload;

static inline int preload_active(void)
{
    return __builtin_expect(__atomic_load_n(&preload.active, __ATOMIC_ACQUIRE), 0);
}

#endif
