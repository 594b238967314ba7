/*
 * Which signal our timers use. SIGPROF where nobody else has it; a real-time signal (the highest free one, 35
 * to 64) in Node (V8's profiler takes SIGPROF, Node before 18.17 resets signals 1 to 31 at start) and
 * wherever SIGPROF has an owner. Where a Go runtime has taken them all, one is borrowed from it. When another
 * owner appears we move away: the disposition is watched, and sigaction/signal of the application are seen
 * before they take effect (preload/signals.c).
 */
#ifndef OTELPROF_SAMPLE_SIGNAL_H
#define OTELPROF_SAMPLE_SIGNAL_H

#include <signal.h>

#include "sys/sigaction.h"

/* A free signal by the rule above, or |wanted| (1 to 64) if that is not 0; -EBUSY when there is none. */
int signal_choose(int is_node, int wanted);

/* Installs sampler_handle on |signo| and remembers what was there in sampler.former. 0 or a negative errno.
 */
int signal_install(int signo);

/* Gives |signo| back to its former owner, with pending signals of our timers discarded. */
void signal_restore(int signo);

/* True if |signo|'s disposition is still ours. */
int signal_is_ours(int signo);

#endif
