/* What a forked child forgets. */
#ifndef OTELPROF_COLLECT_LIFECYCLE_H
#define OTELPROF_COLLECT_LIFECYCLE_H

/* Reserves what the child will need: 0 or -1. Constructor, after registry_init. */
int lifecycle_prepare(void);

/*
 * In the child, right after fork, on its only thread: a few stores and one timer, so that a child that calls
 * exec pays next to nothing. The second tick of a child that lives on starts its background thread.
 */
void lifecycle_after_fork(void);

/* The rest, once the child is known to live on: by its background thread, or at its exit. */
void lifecycle_renew(void);

/* The end of the start delay, on the background thread |own_tid|: what the process has done is forgotten, and
 * the timers of its threads start. */
void lifecycle_begin(int own_tid);

#endif
