/*
 * What the background thread does: drains the rings four times a second, resolves stacks while their code is
 * fresh, and closes a window every collection interval. One thread at a time: the background thread, or, in a
 * process that ends before it started, the thread that calls exit.
 */
#ifndef OTELPROF_COLLECT_COLLECTOR_H
#define OTELPROF_COLLECT_COLLECTOR_H

#include <stdint.h>

#include "config/options.h"
#include "config/program.h"

struct collector_options {
    const struct config *config;   /* lives as long as the process */
    const struct program *program; /* likewise */
    const void *own_code;          /* an address in this library */
};

/* Remembers |options|; reads nothing yet. Constructor. */
void collector_prepare(const struct collector_options *options);

/* The first window begins now, with what the process has used so far in no profile. Before collector_start.
 */
void collector_begin(void);

/*
 * Loads modules and tables, opens the sinks. |own_tid|: the background thread's id, 0 without one. 0 or
 * -ENOMEM. */
int collector_start(int own_tid);

/* One round: threads, modules, samples; a window if its time has come. */
void collector_round(void);

/*
 * ns until the next round is due: 250 ms, a second in a process that sleeps, and 20 ms for the first seconds
 * of V8. Code that it made before we attached is named by functions that its collector moves
 * (node/function_code.c): the sooner the better.
 */
int64_t collector_pause(void);

/* The last window. */
void collector_finish(void);

/* ns of CPU that the process has used since the start (or the fork) and that no window holds yet. */
int64_t collector_unseen_cpu(void);

/* True if sinks are open: without one nothing needs to be sampled. */
int collector_wanted(const struct config *config);

/* In a forked child, before collector_start: forgets the parent's windows; the profile begins at the fork. */
void collector_after_fork(int64_t fork_monotonic, int64_t fork_realtime);

#endif
