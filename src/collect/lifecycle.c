#include "collect/lifecycle.h"

#include <string.h>

#include "collect/background.h"
#include "collect/collector.h"
#include "node/code_events.h"
#include "node/isolate.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "sample/threads.h"
#include "sample/timer.h"
#include "sys/clock.h"
#include "sys/descriptors.h"
#include "sys/heap.h"

static struct {
    struct thread *probe; /* its ticks tell that a forked child lives on */
    int probe_timer;
    int64_t fork_monotonic, fork_realtime;
} state = {.probe_timer = -1};

int lifecycle_prepare(void)
{
    state.probe = registry_claim_uncounted();
    return state.probe ? 0 : -1;
}

void lifecycle_after_fork(void)
{
    sampler_after_fork();
    background_after_fork();
    descriptors_after_fork();
    state.fork_monotonic = clock_monotonic();
    state.fork_realtime = clock_realtime();
    if (sampler.stopped || !state.probe) return;
    sampler.renewing = 1;
    sampler.total_ticks = 0;
    sampler.waits_for_background = 1;
    state.probe->timer = -1;
    state.probe_timer =
        timer_start_thread(sampler.pid, sampler.signo, state.probe, sampler.interval, sampler.interval);
    state.probe->timer = state.probe_timer;
}

void lifecycle_renew(void)
{
    if (state.probe_timer >= 0) timer_stop(state.probe_timer);
    state.probe_timer = -1;
    heap_after_fork();
    registry_reset();
    rings_reset();
    code_events_after_fork();
    for (int i = 0; i < NODE_MAX_ISOLATES; i++) node_process.isolates[i].state = ISOLATE_FREE;
    node_process.attached_ever = 0;
    collector_after_fork(state.fork_monotonic, state.fork_realtime);
    lifecycle_prepare();
    struct thread *main_thread = registry_claim(sampler.pid);
    if (main_thread) sampler_arm(main_thread, sampler.pid);
    __atomic_store_n(&sampler.renewing, 0, __ATOMIC_RELEASE);
}

static void forget_past(struct thread *thread, void *context)
{
    uint32_t thread_state = __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE);
    if (thread_state == THREAD_ENDED) registry_release(thread);
    if (thread_state != THREAD_LIVE) return;
    int64_t cpu = clock_read(clock_of_thread(thread->tid));
    if (cpu > 0) thread->accounted_cpu = cpu;
}

void lifecycle_begin(int own_tid)
{
    /* A thread that did not announce itself is adopted when it is seen twice. */
    threads_discover(own_tid, 1);
    threads_discover(own_tid, 1);
    collector_begin();
    registry_each(forget_past, NULL);
    sampler_release();
    /* V8 is looked for in the process that loaded it. */
    if (sampler.contact_thread && !background.forked) sampler_arm_contact(sampler.contact_thread);
}
