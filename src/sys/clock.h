/* Clocks in nanoseconds by raw system calls; async-signal-safe. */
#ifndef OTELPROF_SYS_CLOCK_H
#define OTELPROF_SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "sys/rawcall.h"

#define NANOS_PER_SECOND 1000000000LL

/* The clock |id| in nanoseconds, or a negative errno (-EINVAL for the CPU clock of a thread that is gone). */
static inline int64_t clock_read(int id)
{
    struct timespec now;
    long rc = sys_call2(SYS_clock_gettime, id, &now);
    return rc < 0 ? rc : (int64_t)now.tv_sec * NANOS_PER_SECOND + now.tv_nsec;
}

static inline int64_t clock_monotonic(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Unix time, UTC. */
static inline int64_t clock_realtime(void)
{
    return clock_read(CLOCK_REALTIME);
}

/* CPU time that all threads of this process have used, those that have ended included. */
static inline int64_t clock_process_cpu(void)
{
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* The id of the CPU clock of thread |tid| of this process (linux/include/linux/posix-timers.h: ~tid << 3 | 4
 * | 2). */
static inline int clock_of_thread(int tid)
{
    return (int)(~(unsigned)tid << 3 | 6);
}

#endif
