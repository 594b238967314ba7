/* POSIX timers on CPU clocks by raw system calls: ids are the kernel's, as in siginfo. */
#ifndef OTELPROF_SAMPLE_TIMER_H
#define OTELPROF_SAMPLE_TIMER_H

#include <stdint.h>

/*
 * A timer on the CPU clock of thread |tid|, which signals that thread with |signo| and |cookie| in sival_ptr;
 * first after |first| ns of CPU, then every |interval|. The id, or a negative errno: -EAGAIN when
 * RLIMIT_SIGPENDING (one entry a timer) is used up, -EINVAL when the thread is gone.
 */
int timer_start_thread(int tid, int signo, void *cookie, int64_t first, int64_t interval);

/* The same on the CPU clock of the whole process; the kernel signals a thread that is running. */
int timer_start_process(int signo, void *cookie, int64_t interval);

void timer_stop(int id);

#endif
