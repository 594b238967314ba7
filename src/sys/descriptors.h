/*
 * File descriptors of the profiler's own. The background thread has a descriptor table for itself, empty at
 * its start: what it opens takes no number from the application, an application that closes every descriptor
 * closes none of ours, and we cannot close or write to one that it got meanwhile. Nor do we hold anything of
 * the application's open, so that readers of its pipes see their end.
 *
 * Where the kernel or a filter refuses that, and on the application's threads, the table is the shared one.
 */
#ifndef OTELPROF_SYS_DESCRIPTORS_H
#define OTELPROF_SYS_DESCRIPTORS_H

/* Gives the calling thread a table of its own. 0, or a negative errno: it shares the application's. At most
 * one thread of a process. */
int descriptors_separate(void);

/* True on the thread that has a table of its own. */
int descriptors_are_separate(void);

/* Notes which file standard error is, for descriptors_standard_error. Constructor. */
void descriptors_prepare(void);

/*
 * A descriptor of the application's standard error, for descriptors_done; -EBADF if it is another file than
 * at the start (a daemon may have its database there: sqlite.org/howtocorrupt.html, 1.1), or another negative
 * errno.
 */
int descriptors_standard_error(void);
void descriptors_done(int fd);

/* In a forked child: no thread has a table of its own. */
void descriptors_after_fork(void);

#endif
