/*
 * A thread that libc does not know. It does not count among the application's threads (main may end by
 * pthread_exit and the process still ends with its last own thread), libc keeps its single-threaded fast
 * paths, and it can be started from a signal handler. Its thread-local storage is a page of zeros: it must
 * call nothing of libc but mem* and str*, and must run with all signals blocked. (Not its creator's storage:
 * that goes when the creator ends, and the archives that we link look for their stack protector's canary
 * there.) What libc does for its own threads at setuid(2), see sys/credentials.h.
 */
#ifndef OTELPROF_SYS_SPAWN_H
#define OTELPROF_SYS_SPAWN_H

#include <stddef.h>

#if defined(__x86_64__)
#include "sys/spawn_x86_64.h"
#else
#error "add spawn_<arch>.h for this architecture"
#endif

enum { SPAWN_TLS_BYTES = 8192 }; /* at the top of the stack's memory, the thread pointer in the middle */

/*
 * Runs |run|(|argument|) on a new thread of this process, on the stack of |size| zero bytes at |stack|; the
 * thread ends when |run| returns. The caller must have all signals blocked: the thread inherits that. The
 * thread's id or a negative errno (-EAGAIN: RLIMIT_NPROC, cgroup pids limit). Async-signal-safe.
 */
static inline int spawn_thread(void (*run)(void *), void *argument, void *stack, size_t size)
{
    char *tls = (char *)stack + size - SPAWN_TLS_BYTES / 2;
    *(void **)tls = tls; /* x86-64: the thread pointer points at itself */
    return (int)spawn_raw(run, argument, (char *)stack + size - SPAWN_TLS_BYTES, tls);
}

#endif
