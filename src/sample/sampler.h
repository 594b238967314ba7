/*
 * The CPU sampler: one POSIX timer a thread on that thread's CPU clock, whose signal takes a sample
 * (handler.c). Why not one timer for the process: it attributes 60 to 115 % of a thread's true share in
 * measurements. Why not setitimer: it survives exec and kills the next program.
 */
#ifndef OTELPROF_SAMPLE_SAMPLER_H
#define OTELPROF_SAMPLE_SAMPLER_H

#include <signal.h>
#include <stdint.h>

#include "sample/registry.h"
#include "sys/sigaction.h"

/* What the handler reads; written before the first timer is armed, but for |stopped| and |signo|. */
struct sampler {
    int stopped;         /* no sample is taken any more */
    int held;            /* none is taken yet: no timer starts before sampler_release */
    int signo;           /* the signal of our timers; 0: none chosen */
    int alternate_stack; /* a Go runtime is in the process: handlers run on the alternate stack */
    uint64_t
        given_up; /* signals that were ours and that the application took, as a mask: never taken again */
    struct sigaction_raw former;   /* what |signo| would do without us: where foreign signals go */
    struct thread *contact_thread; /* the thread of the contact timer */
    int process_timer;  /* id of the one timer that stands in for all when the kernel gives no more; -1: none
                         */
    int64_t interval;   /* ns of CPU time between two ticks of a thread */
    unsigned max_depth; /* frames of a sample at most */
    int script;         /* the process runs V8: samples carry interpreter frames */
    int pid;            /* the process the state belongs to */
    int renewing;       /* a forked child that has not begun anew: ticks are only counted */
    uint32_t total_ticks;     /* of all threads */
    int waits_for_background; /* the first ticks start the background thread through |start_background| */
    void (*start_background)(void); /* async-signal-safe */
    void (*wake_background)(void);  /* likewise: a round is due at once */
    uint32_t unloads;               /* counts up before and after each dlclose (preload/loader.c) */
    int modules_unknown; /* a tick met code of no module: the background thread looks for new ones and clears
                            it */
    uint64_t blocked;    /* threads whose timer was taken away because they block our signal */
    uint64_t timer_failures; /* timers the kernel refused */
    uint64_t foreign;        /* signals that were not ours and went on to their owner */
    uint64_t unknown_stacks; /* samples whose stack was not known to be readable: leaf only */
};

extern struct sampler sampler;

struct sampler_options {
    int64_t interval_nanos;
    unsigned max_depth;
    int is_node;
    int signal;          /* 0: chosen by sample/signal.h */
    int alternate_stack; /* SA_ONSTACK, for Go: its goroutine stacks are too small for a handler */
};

/* Chooses the signal and installs the handler (sample/signal.h); no timer yet. 0 or a negative errno. */
int sampler_install(const struct sampler_options *options);

/*
 * Starts ticks for |thread| (CLAIMED), whose id is |tid|. From the thread itself or the background thread. A
 * thread that the kernel gives no timer to makes the sampler fall back to one process timer, said once; one
 * that blocks our signal (signal_blocked) gets none. Two slots never stand for one thread: the thread's own
 * takes the place of one that the background thread discovered; the latter gets -EEXIST when it comes second.
 * Else 0.
 */
int sampler_arm(struct thread *thread, int tid);

/* Ends |held|: starts the timers that threads wait for. Background thread. */
void sampler_release(void);

/* Starts the contact timer (node_contact_due, node/isolate.h) of the main thread |thread|, unless held. */
void sampler_arm_contact(struct thread *thread);

/* Stops the ticks of |thread|. */
void sampler_disarm(struct thread *thread);

/* Stops all ticks, for good: at exit. */
void sampler_stop(void);

/* Goes on with another signal: somebody else uses this one. Timers are re-armed. 0, or -EBUSY when none is
 * free. */
int sampler_change_signal(void);

/* In a forked child: the timers are not inherited. */
void sampler_after_fork(void);

/* The handler (sample/handler.c): async-signal-safe. */
void sampler_handle(int signo, siginfo_t *info, void *context);

#endif
