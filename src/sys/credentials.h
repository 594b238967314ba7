/*
 * Credentials are per thread in the kernel; libc carries a setuid(2) to all threads that it knows, which our
 * background thread is not among. It follows the main thread by itself: a daemon that drops root must not
 * keep a thread with it.
 */
#ifndef OTELPROF_SYS_CREDENTIALS_H
#define OTELPROF_SYS_CREDENTIALS_H

/* Takes on the main thread's user and group ids and groups if they differ: 0 same, 1 changed, or a negative
 * errno. */
int credentials_follow_main(void);

#endif
