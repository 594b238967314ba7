/* The one background thread: started from the constructor or by the first ticks, stopped by exit. */
#ifndef OTELPROF_COLLECT_BACKGROUND_H
#define OTELPROF_COLLECT_BACKGROUND_H

#include <stdint.h>

/* Maps the thread's stack: 0 or -ENOMEM. Constructor. */
int background_prepare(void);

/* The thread will hold everything back until |millis| from now; 0: not at all. Constructor, before it starts.
 */
void background_delay(int64_t millis);

/* Starts the thread, once; all signals must be blocked. Async-signal-safe (background_start.c). */
void background_start(void);

/* The same from ordinary code, with any mask. */
void background_start_unmasked(void);

/* Makes the thread do its next round now. Async-signal-safe (background_start.c). */
void background_wake(void);

/* Returns when a round that began after the call is over, or after 100 ms. Any application thread; not in
 * handlers. */
void background_drain(void);

/*
 * The last window: by the background thread, waited for at most |timeout_ms|, or in a process that ends
 * before that thread began, by the caller. After it nothing runs any more.
 */
void background_finish(int64_t timeout_ms);

/* In a forked child: there is no thread; the next background_start makes one. */
void background_after_fork(void);

/* Shared by background.c and background_start.c. */
enum background_state {
    BACKGROUND_NONE,
    BACKGROUND_STARTING,
    BACKGROUND_RUNNING,
    BACKGROUND_DONE,
    BACKGROUND_FAILED
};

enum { BACKGROUND_STACK = 512 * 1024 };

struct background {
    uint32_t state;         /* enum background_state */
    uint32_t wake;          /* futex: 1 when a round is due */
    uint32_t drains_wanted; /* background_drain's tickets */
    uint32_t drains_done;   /* futex: all up to this ticket are served */
    uint32_t stop;          /* the round that is due is the last one */
    int64_t begins_at;      /* ns, monotonic: the start delay's end; 0: there is none */
    int tid;
    int forked; /* the process is a forked child: what the parent's thread left half done is forgotten first
                 */
    void *stack;
};

extern struct background background;

void background_run(void *argument);

#endif
