/*
 * The window that is being filled: samples by stack and thread, and what makes its total equal to the CPU
 * clock. Background thread.
 */
#ifndef OTELPROF_COLLECT_WINDOW_H
#define OTELPROF_COLLECT_WINDOW_H

#include <stdint.h>

#include "collect/frames.h"
#include "profile/profile.h"
#include "sample/registry.h"
#include "symbol/v8tier.h"

/* Why a sample, or a part of one, is not in the profile. */
enum window_drop {
    DROP_RING_FULL,       /* no room in the rings */
    DROP_NO_SLOT,         /* threads that found no slot */
    DROP_MEMORY,          /* the profile found no memory */
    DROP_STALE,           /* samples of a thread whose slot was used again */
    DROP_CODE_EVENTS,     /* V8 code events lost: unknown JavaScript */
    DROP_TIMERS,          /* timers the kernel refused */
    DROP_BLOCKED,         /* threads that block our signal */
    DROP_TRUNCATED_DEPTH, /* stacks cut at the depth limit */
    DROP_TRUNCATED_WALK,  /* stacks whose walk could not go on: no unwind information, or a damaged stack */
    DROP_UNKNOWN_STACK,   /* leaf only: the stack was not known to be readable */
    DROP_CAUSES
};

/* A set of threads that began in the same function: CPU time is reconciled for them together. */
struct window_group {
    uintptr_t start_routine;
    int64_t expected; /* ns, by the CPU clocks */
    int64_t sampled;  /* ns, by the samples */
    uint32_t labels;  /* of its only thread, 0 for several */
    uint32_t threads;
};

/* Whose label set it is. */
struct window_thread {
    uint32_t group;   /* group + 1, 0: no thread's */
    uint32_t ordinal; /* of the thread, see struct thread */
};

struct window {
    uint32_t number; /* from 1 */
    struct profile *profile;
    int64_t start_monotonic, start_realtime;
    struct window_group *groups;
    size_t group_count, group_cap;
    struct window_thread *thread_of_labels; /* by label set */
    size_t labels_cap;
    uint64_t drops[DROP_CAUSES];
};

/* Begins window |number|. -ENOMEM leaves a window without profile, whose samples are dropped. */
int window_open(struct window *window, uint32_t number, int64_t period, int64_t monotonic, int64_t realtime);

/* Adds |weight| ns of CPU, a multiple of the period, of |thread| in |stack|, whose innermost JavaScript runs
 * at |tier| (V8_TIER_NONE: not to be told). */
void window_add(struct window *window, struct thread *thread, uint32_t stack, enum v8_tier tier,
                int64_t weight);

/* Adds |nanos| that no sample stands for, with |labels| (0: none), to |stack|. */
void window_add_time(struct window *window, uint32_t stack, uint32_t labels, int64_t nanos);

/* The clock says that |thread| used |nanos| of CPU in this window. */
void window_expect(struct window *window, struct thread *thread, int64_t nanos);

/* The label set of a thread. */
uint32_t window_labels(struct window *window, int tid, const char *name);

/*
 * Makes the samples of each group add up to what the clocks say: time that was not sampled goes to an
 * [unsampled] frame under the start routine; samples that stand for more than was used (the last interval of
 * a thread is rarely full) are scaled down together.
 */
void window_reconcile(struct window *window, struct frames *frames);

/* The thread that label set |labels| was made for, or NULL. */
const struct window_thread *window_thread_of(const struct window *window, uint32_t labels);

/* Frees what the window holds. */
void window_close(struct window *window);

/* "ring_full": as it appears in profile comments and in the log. */
const char *window_drop_name(enum window_drop cause);

#endif
