#include "sample/sampler.h"

#include <errno.h>

#include "node/isolate.h"
#include "sample/signal.h"
#include "sample/timer.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/log.h"
#include "sys/random.h"

enum {
    CONTACT_NANOS = 1000 * 1000,
    WORKER_NANOS = 30 * 1000 * 1000 /* of CPU, before V8 is asked to tell of a worker's code */
};

static struct {
    struct lock lock; /* orders arming, changing the signal and stopping */
    uint64_t random;
} state;

int sampler_install(const struct sampler_options *options)
{
    sampler.interval = options->interval_nanos;
    sampler.max_depth = options->max_depth;
    sampler.alternate_stack = options->alternate_stack;
    sampler.process_timer = -1;
    sampler.pid = sys_getpid();
    state.random = (uint64_t)clock_monotonic() ^ (uint64_t)sampler.pid << 32;
    int signo = signal_choose(options->is_node, options->signal);
    if (signo < 0) return signo;
    int rc = signal_install(signo);
    if (rc) return rc;
    __atomic_store_n(&sampler.signo, signo, __ATOMIC_RELEASE);
    return 0;
}

/* The lock is held. A random first expiry lets threads that live shorter than an interval be seen in
 * proportion. */
static int start_timer(struct thread *thread, int tid)
{
    int64_t first = 1 + (int64_t)(random_next(&state.random) % (uint64_t)sampler.interval);
    return timer_start_thread(tid, sampler.signo, thread, first, sampler.interval);
}

static void disarm_locked(struct thread *thread)
{
    if (thread->timer < 0) return;
    int id = thread->timer;
    __atomic_store_n(&thread->timer, -1, __ATOMIC_RELEASE);
    timer_stop(id);
}

static void disarm_visit(struct thread *thread, void *context)
{
    disarm_locked(thread);
}

/* One timer for all: the shares of the threads get worse, the totals stay exact (collect/window.c). */
static void fall_back_to_process_timer(int error)
{
    registry_each(disarm_visit, NULL);
    sampler.process_timer = timer_start_process(sampler.signo, &sampler, sampler.interval);
    if (sampler.process_timer < 0) {
        log_error("no CPU timer can be created (errno %d; ulimit -i limits them per user): CPU time will be "
                  "shown as "
                  "[unsampled]",
                  -error);
        return;
    }
    log_error("timer_create failed (errno %d; ulimit -i limits timers per user): one timer for the whole "
              "process is "
              "used instead of one per thread, so shares between threads are less exact",
              -error);
}

/* The lock is held. |thread|, the calling one, takes the place of a slot that the background thread had made
 * for it, and all of its time; or of one that is left of a thread that ended untold and had the same id. */
static void supersede(struct thread *thread, struct thread *other)
{
    int is_same = other->accounted_cpu <= clock_read(CLOCK_THREAD_CPUTIME_ID);
    if (is_same) thread->accounted_cpu = other->accounted_cpu;
    disarm_locked(other);
    registry_end(other, is_same ? 0 : -1);
}

/* EINVAL for another thread: it has ended since it was seen. No timer is missing then, and none is needed. */
static int is_gone(const struct thread *thread, int error)
{
    return error == -EINVAL && thread->tid != sys_gettid();
}

/* The lock is held. */
static void arm_locked(struct thread *thread)
{
    if (sampler.stopped || sampler.held || sampler.process_timer >= 0 || thread->signal_blocked) return;
    int id = start_timer(thread, thread->tid);
    if (id >= 0)
        __atomic_store_n(&thread->timer, id, __ATOMIC_RELEASE);
    else if (!is_gone(thread, id) && !sampler.timer_failures++)
        fall_back_to_process_timer(id);
}

int sampler_arm(struct thread *thread, int tid)
{
    lock_acquire(&state.lock);
    struct thread *other = registry_find(tid);
    if (other && other != thread) {
        if (tid != sys_gettid()) {
            lock_release(&state.lock);
            return -EEXIST;
        }
        supersede(thread, other);
    }
    registry_publish(thread, tid);
    arm_locked(thread);
    lock_release(&state.lock);
    return 0;
}

void sampler_arm_contact(struct thread *thread)
{
    sampler.contact_thread = thread;
    if (sampler.held) return;
    node_process.worker_ticks = (uint32_t)(WORKER_NANOS / sampler.interval);
    node_process.contact_timer =
        timer_start_thread(thread->tid, sampler.signo, &node_process, CONTACT_NANOS, CONTACT_NANOS);
}

static void release_visit(struct thread *thread, void *context)
{
    if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_LIVE) arm_locked(thread);
}

void sampler_release(void)
{
    lock_acquire(&state.lock);
    sampler.held = 0;
    registry_each(release_visit, NULL);
    lock_release(&state.lock);
}

void sampler_disarm(struct thread *thread)
{
    lock_acquire(&state.lock);
    disarm_locked(thread);
    lock_release(&state.lock);
}

void sampler_stop(void)
{
    __atomic_store_n(&sampler.stopped, 1, __ATOMIC_RELEASE);
    lock_acquire(&state.lock);
    registry_each(disarm_visit, NULL);
    if (sampler.process_timer >= 0) timer_stop(sampler.process_timer);
    sampler.process_timer = -1;
    lock_release(&state.lock);
}

static void rearm_visit(struct thread *thread, void *context)
{
    if (thread->state != THREAD_LIVE || thread->signal_blocked) return;
    int id = start_timer(thread, thread->tid);
    if (id >= 0) __atomic_store_n(&thread->timer, id, __ATOMIC_RELEASE);
}

int sampler_change_signal(void)
{
    lock_acquire(&state.lock);
    int old = sampler.signo;
    int process_wide = sampler.process_timer >= 0;
    registry_each(disarm_visit, NULL);
    if (process_wide) timer_stop(sampler.process_timer);
    if (signal_is_ours(old)) signal_restore(old);
    sampler.given_up |= sigmask_bit(old);
    int signo = signal_choose(1, 0);
    int rc = signo < 0 ? signo : signal_install(signo);
    __atomic_store_n(&sampler.signo, rc ? 0 : signo, __ATOMIC_RELEASE);
    if (rc) {
        __atomic_store_n(&sampler.stopped, 1, __ATOMIC_RELEASE);
    } else if (process_wide) {
        sampler.process_timer = timer_start_process(signo, &sampler, sampler.interval);
    } else if (!sampler.stopped && !sampler.held) {
        registry_each(rearm_visit, NULL);
    }
    lock_release(&state.lock);
    if (rc)
        log_error("signal %d was taken by the application and no other is free: sampling stops", old);
    else
        log_info("signal %d was taken by the application: sampling goes on with signal %d", old, signo);
    return rc;
}

void sampler_after_fork(void)
{
    lock_reset(&state.lock);
    sampler.pid = sys_getpid();
    sampler.process_timer = -1;
    state.random ^= (uint64_t)sampler.pid << 17;
}
