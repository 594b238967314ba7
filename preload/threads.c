/*
 * Overrides: pthread_create, clone.
 *
 * For the new thread's stack bounds, its start routine, and a timer from its first instruction. A program
 * with a second thread gets the background thread, whatever its threads do with signals. The end of a thread
 * is seen by the destructor of a thread-specific key, which return, pthread_exit and cancellation all run.
 * Threads made by clone are found by the background thread, which therefore must run.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/auxv.h>

#include "active.h"
#include "collect/background.h"
#include "next.h"
#include "sample/sampler.h"
#include "sample/threads.h"

enum {
    DESTRUCTOR_ROUNDS = 3, /* libc runs 4: we want to be behind other keys' destructors */
    STACK_SPARE = 4096,    /* what a thread needs besides a signal frame: its own frames and the handler's */
    SIGNAL_FRAME = 4096    /* with AVX-512 3.3 KiB; kernels before 5.14 do not tell */
};

typedef int stack_size_function(const pthread_attr_t *, size_t *);

static struct {
    pthread_key_t key; /* its destructor is a thread's last act */
    int has_key;
    stack_size_function *stack_size;
    size_t stack_min;
} state;

typedef int pthread_create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

extern pthread_t pthread_self(void) __attribute__((weak));
extern int pthread_key_create(pthread_key_t *, void (*)(void *)) __attribute__((weak));
extern int pthread_setspecific(pthread_key_t, const void *) __attribute__((weak));

static void at_thread_end(void *value)
{
    struct thread *thread = value;
    if (++thread->destructor_rounds < DESTRUCTOR_ROUNDS && !pthread_setspecific(state.key, value)) return;
    threads_finish(thread);
}

/* Two keys: Node before 20 asks pthread_getspecific(0) for its isolate before V8 is initialised, and must get
 * NULL. */
void preload_prepare_threads(void)
{
    pthread_key_t unused;
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    state.stack_min = (frame ? frame : SIGNAL_FRAME) + STACK_SPARE;
    state.stack_size = (stack_size_function *)global_symbol("pthread_attr_getstacksize");
    if (!pthread_key_create || !pthread_setspecific || !pthread_self) return;
    if (pthread_key_create(&unused, NULL)) return;
    state.has_key = !pthread_key_create(&state.key, at_thread_end);
}

/* A signal would end the process: musl's PTHREAD_STACK_MIN is 2 KiB. glibc's is 16. */
static int has_small_stack(const pthread_attr_t *attributes)
{
    size_t size;
    return attributes && state.stack_size && !state.stack_size(attributes, &size) && size < state.stack_min;
}

/* libc's thread descriptor lies above all frames, in the stack's own mapping: in glibc and musl on x86-64 and
 * arm64. */
static void *run_thread(void *argument)
{
    struct thread *thread = argument;
    void *(*start)(void *) = thread->start;
    void *start_argument = thread->argument;
    pthread_setspecific(state.key, thread);
    threads_begin(thread, (uintptr_t)pthread_self(), (uintptr_t)__builtin_frame_address(0));
    return start(start_argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *id, const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument)
{
    static pthread_create_function *next;
    pthread_create_function *create = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (!create) {
        create = (pthread_create_function *)next_symbol("pthread_create");
        __atomic_store_n(&next, create, __ATOMIC_RELAXED);
    }
    if (preload_active() && sampler.waits_for_background && !sampler.renewing) background_start_unmasked();
    struct thread *thread = preload_active() && state.has_key ? threads_prepare(start, argument) : NULL;
    if (!thread) return create(id, attributes, start, argument);
    thread->small_stack = has_small_stack(attributes);
    int rc = create(id, attributes, run_thread, thread);
    if (rc) threads_cancel(thread);
    return rc;
}

__attribute__((visibility("default"))) int clone(int (*start)(void *), void *stack, int flags, void *argument,
                                                 ...)
{
    static int (*next)(int (*)(void *), void *, int, void *, ...);
    if (!next) next = (int (*)(int (*)(void *), void *, int, void *, ...))next_symbol("clone");
    if (flags & CLONE_THREAD && preload_active() && sampler.waits_for_background && !sampler.renewing)
        background_start_unmasked();
    va_list rest;
    va_start(rest, argument);
    void *parent_tid = va_arg(rest, void *), *tls = va_arg(rest, void *), *child_tid = va_arg(rest, void *);
    va_end(rest);
    return next(start, stack, flags, argument, parent_tid, tls, child_tid);
}
