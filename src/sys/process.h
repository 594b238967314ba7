/* Facts about this process from the kernel. Any thread; not in signal handlers. */
#ifndef OTELPROF_SYS_PROCESS_H
#define OTELPROF_SYS_PROCESS_H

#include <stdint.h>

/*
 * When this process was made (by fork, not exec), Unix time in nanoseconds with the kernel's resolution of
 * 10 ms, or a negative errno (-ENOENT without /proc, -EINVAL for a damaged line):
 *
 *     CLOCK_REALTIME - CLOCK_BOOTTIME + starttime / 100 s
 *
 * starttime is field 22 of /proc/self/stat, in clock ticks since boot (proc_pid_stat(5)); a tick is 1/100 s
 * on every architecture that we run on (USER_HZ, AT_CLKTCK). The kernel takes it from the boot-time clock and
 * shifts it into the reader's time namespace as it does with CLOCK_BOOTTIME (fs/proc/array.c, do_task_stat),
 * so the difference needs no /proc/stat, whose btime is in whole seconds and costs a walk over all
 * interrupts.
 */
int64_t process_start_realtime(void);

/* Field 22 of a /proc/PID/stat line, in ticks, or -EINVAL. The command in field 2 may hold blanks and
 * parentheses. */
int64_t process_start_ticks(const char *stat_line);

#endif
