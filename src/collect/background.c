#include "collect/background.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>

#include "collect/collector.h"
#include "collect/lifecycle.h"
#include "sample/sampler.h"
#include "sys/clock.h"
#include "sys/descriptors.h"
#include "sys/heap.h"
#include "sys/log.h"
#include "sys/sigaction.h"

enum { SHORT_LIFE_INTERVALS = 2, DRAIN_NANOS = 100 * 1000 * 1000 };

int background_prepare(void)
{
    if (!background.stack) background.stack = heap_map(BACKGROUND_STACK);
    return background.stack ? 0 : -ENOMEM;
}

void background_delay(int64_t millis)
{
    if (millis <= 0) return;
    sampler.held = 1;
    background.begins_at = clock_monotonic() + millis * 1000000;
}

void background_start_unmasked(void)
{
    uint64_t mask;
    sigmask_set(~0ULL, &mask);
    background_start();
    sigmask_set(mask, NULL);
}

static void wait_on(uint32_t *word, uint32_t value, int64_t nanos)
{
    struct timespec timeout = {nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND};
    sys_call4(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout);
}

static void set_state(uint32_t state)
{
    __atomic_store_n(&background.state, state, __ATOMIC_RELEASE);
    sys_call3(SYS_futex, &background.state, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

static void round_with_tickets(void)
{
    uint32_t wanted = __atomic_load_n(&background.drains_wanted, __ATOMIC_ACQUIRE);
    collector_round();
    if (wanted == background.drains_done) return;
    __atomic_store_n(&background.drains_done, wanted, __ATOMIC_RELEASE);
    sys_call3(SYS_futex, &background.drains_done, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

void background_drain(void)
{
    if (__atomic_load_n(&background.state, __ATOMIC_ACQUIRE) != BACKGROUND_RUNNING) return;
    uint32_t ticket = __atomic_add_fetch(&background.drains_wanted, 1, __ATOMIC_ACQ_REL);
    int64_t deadline = clock_monotonic() + DRAIN_NANOS;
    background_wake();
    for (;;) {
        uint32_t done = __atomic_load_n(&background.drains_done, __ATOMIC_ACQUIRE);
        int64_t left = deadline - clock_monotonic();
        if ((int32_t)(done - ticket) >= 0 || left <= 0) return;
        wait_on(&background.drains_done, done, left);
    }
}

/* Waits for the end of the start delay: 0, or -1 when the process ends before. */
static int wait_for_begin(void)
{
    for (;;) {
        int64_t left = background.begins_at - clock_monotonic();
        if (__atomic_load_n(&background.stop, __ATOMIC_ACQUIRE)) return -1;
        if (left <= 0) return 0;
        wait_on(&background.wake, 0, left);
        __atomic_store_n(&background.wake, 0, __ATOMIC_RELEASE);
    }
}

void background_run(void *argument)
{
    sys_call2(SYS_prctl, PR_SET_NAME, "otelprof");
    background.tid = sys_gettid();
    int shared = descriptors_separate();
    if (shared) log_debug("no descriptor table of the profiler's own (errno %d)", -shared);
    if (sampler.held && wait_for_begin()) {
        set_state(BACKGROUND_DONE);
        return;
    }
    int was_held = sampler.held;
    if (background.forked) lifecycle_renew();
    if (was_held) lifecycle_begin(background.tid);
    set_state(BACKGROUND_RUNNING);
    if (collector_start(background.tid) == -ENOENT) {
        sampler_stop();
        set_state(BACKGROUND_DONE);
        return;
    }
    while (!__atomic_load_n(&background.stop, __ATOMIC_ACQUIRE)) {
        wait_on(&background.wake, 0, collector_pause());
        __atomic_store_n(&background.wake, 0, __ATOMIC_RELEASE);
        if (!__atomic_load_n(&background.stop, __ATOMIC_ACQUIRE)) round_with_tickets();
    }
    collector_finish();
    set_state(BACKGROUND_DONE);
}

/* No thread was ever started: this one does its work, with signals blocked as there. */
static void finish_here(void)
{
    uint64_t mask;
    sigmask_set(~0ULL, &mask);
    if (background.forked) lifecycle_renew();
    if (collector_start(0) == 0) collector_finish();
    sigmask_set(mask, NULL);
}

void background_finish(int64_t timeout_ms)
{
    uint32_t none = BACKGROUND_NONE;
    sampler_stop();
    if (__atomic_compare_exchange_n(&background.state, &none, BACKGROUND_DONE, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        /* A process that used next to no CPU has nothing to tell. */
        if (timeout_ms > 0 && !sampler.held &&
            collector_unseen_cpu() >= SHORT_LIFE_INTERVALS * sampler.interval)
            finish_here();
        return;
    }
    __atomic_store_n(&background.stop, 1, __ATOMIC_RELEASE);
    background_wake();
    int64_t deadline = clock_monotonic() + timeout_ms * 1000000;
    for (;;) {
        uint32_t state = __atomic_load_n(&background.state, __ATOMIC_ACQUIRE);
        int64_t left = deadline - clock_monotonic();
        if (state == BACKGROUND_DONE || state == BACKGROUND_FAILED || left <= 0) return;
        wait_on(&background.state, state, left);
    }
}

void background_after_fork(void)
{
    background.state = BACKGROUND_NONE;
    background.stop = background.wake = 0;
    background.drains_done = background.drains_wanted;
    background.forked = 1;
}
