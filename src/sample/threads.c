#include "sample/threads.h"

#include <string.h>
#include <sys/prctl.h>

#include "sample/sampler.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/sigaction.h"

enum { COUNTED_ROUTINES = 32 };

/* Start routines whose threads are counted: Node numbers its workers, and no runtime has many. */
static struct {
    uintptr_t routine;
    uint32_t count;
} counted[COUNTED_ROUTINES];

static uint32_t next_ordinal(uintptr_t routine)
{
    for (size_t i = 0; i < COUNTED_ROUTINES; i++) {
        uintptr_t found = 0;
        if (__atomic_compare_exchange_n(&counted[i].routine, &found, routine, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            found == routine)
            return __atomic_add_fetch(&counted[i].count, 1, __ATOMIC_RELAXED);
    }
    return 0;
}

struct thread *threads_prepare(void *(*start)(void *), void *argument)
{
    if (__atomic_load_n(&sampler.renewing, __ATOMIC_ACQUIRE))
        return NULL; /* found by the background thread later */
    struct thread *thread = registry_claim(0);
    if (!thread) return NULL;
    thread->start = start;
    thread->argument = argument;
    thread->start_routine = (uintptr_t)start;
    thread->ordinal = next_ordinal(thread->start_routine);
    const struct thread *creator = registry_find(sys_gettid());
    thread->believes_blocked = creator && creator->believes_blocked;
    return thread;
}

void threads_cancel(struct thread *thread)
{
    registry_release(thread);
}

void threads_begin(struct thread *thread, uintptr_t stack_high, uintptr_t stack_root)
{
    thread->stack_low = thread->stack_high = stack_high;
    thread->stack_root = stack_root;
    thread->signal_blocked = thread->small_stack || (sigmask_get() & sigmask_bit(sampler.signo)) != 0;
    sampler_arm(thread, sys_gettid());
}

void threads_finish(struct thread *thread)
{
    /* After a fork the slot may be another thread's: the child's threads are found anew. */
    if (thread->tid != sys_gettid() || __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) != THREAD_LIVE)
        return;
    sampler_disarm(thread);
    sys_call2(SYS_prctl, PR_GET_NAME, thread->name);
    registry_end(thread, clock_read(CLOCK_THREAD_CPUTIME_ID));
}

struct thread *threads_adopt_main(uintptr_t start_routine, uintptr_t stack_high, uintptr_t stack_root)
{
    int tid = sys_gettid();
    struct thread *thread = registry_claim(tid);
    if (!thread) return NULL;
    thread->start_routine = start_routine;
    thread->stack_low = thread->stack_high = stack_high;
    thread->stack_root = stack_root;
    thread->accounted_cpu = clock_read(CLOCK_THREAD_CPUTIME_ID);
    sampler_arm(thread, tid);
    return thread;
}

void threads_read_name(struct thread *thread)
{
    char path[64], name[THREAD_NAME_BYTES + 1];
    fmt_text(path, sizeof path, "/proc/self/task/%d/comm", thread->tid);
    int64_t n = file_read_small(path, name, sizeof name);
    if (n <= 0) return;
    if (name[n - 1] == '\n') name[n - 1] = 0;
    memcpy(thread->name, name, THREAD_NAME_BYTES - 1);
    thread->name[THREAD_NAME_BYTES - 1] = 0;
}
