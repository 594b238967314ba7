/*
 * Overrides: pthread_sigmask, sigprocmask, sigwait, sigwaitinfo, sigtimedwait, signalfd.
 *
 * Servers block all signals in all threads and take them with sigwait or signalfd. Such a thread would never
 * be sampled, and sigwait would hand a tick of ours to the program. So our signal is left out of every set
 * that blocks or waits; a program that asks for its mask hears what it set.
 */
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "active.h"
#include "next.h"
#include "sample/sampler.h"

#define EXPORT __attribute__((visibility("default")))

/* Bit |signo| of a libc set: the kernel's words come first in glibc's and musl's sigset_t. */
static unsigned long *word_of(const sigset_t *set, int signo)
{
    return (unsigned long *)set + (signo - 1) / (8 * (int)sizeof(long));
}

static unsigned long bit_of(int signo)
{
    return 1UL << (signo - 1) % (8 * (int)sizeof(long));
}

static int has_ours(const sigset_t *set, int signo)
{
    return set && *word_of(set, signo) & bit_of(signo);
}

/* |set| without our signal: itself, or a changed copy in |copy|. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
    int signo = preload_active() ? __atomic_load_n(&sampler.signo, __ATOMIC_ACQUIRE) : 0;
    if (!signo || !has_ours(set, signo)) return set;
    *copy = *set;
    *word_of(copy, signo) &= ~bit_of(signo);
    return copy;
}

/* What the program believes: whether this thread blocks our signal. */
static void update_belief(struct thread *thread, int how, const sigset_t *set, sigset_t *old, int signo)
{
    int before = thread->believes_blocked;
    if (set && how == SIG_SETMASK) thread->believes_blocked = has_ours(set, signo);
    if (set && how == SIG_BLOCK && has_ours(set, signo)) thread->believes_blocked = 1;
    if (set && how == SIG_UNBLOCK && has_ours(set, signo)) thread->believes_blocked = 0;
    if (old && before) *word_of(old, signo) |= bit_of(signo);
}

typedef int mask_function(int, const sigset_t *, sigset_t *);

static int change_mask(mask_function *next, int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    sigset_t asked;
    if (!preload_active() || !sampler.signo) return next(how, set, old);
    if (set) asked = *set; /* |old| may be the same object */
    int rc = next(how, without_ours(set, &copy), old);
    struct thread *thread = rc ? NULL : registry_find(sys_gettid());
    if (thread) update_belief(thread, how, set ? &asked : NULL, old, sampler.signo);
    return rc;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    static mask_function *next;
    if (!next) next = (mask_function *)next_symbol("pthread_sigmask");
    return change_mask(next, how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    static mask_function *next;
    if (!next) next = (mask_function *)next_symbol("sigprocmask");
    return change_mask(next, how, set, old);
}

EXPORT int sigwait(const sigset_t *set, int *signo)
{
    static int (*next)(const sigset_t *, int *);
    sigset_t copy;
    if (!next) next = (int (*)(const sigset_t *, int *))next_symbol("sigwait");
    return next(without_ours(set, &copy), signo);
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    static int (*next)(const sigset_t *, siginfo_t *);
    sigset_t copy;
    if (!next) next = (int (*)(const sigset_t *, siginfo_t *))next_symbol("sigwaitinfo");
    return next(without_ours(set, &copy), info);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    static int (*next)(const sigset_t *, siginfo_t *, const struct timespec *);
    sigset_t copy;
    if (!next)
        next = (int (*)(const sigset_t *, siginfo_t *, const struct timespec *))next_symbol("sigtimedwait");
    return next(without_ours(set, &copy), info, timeout);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    static int (*next)(int, const sigset_t *, int);
    sigset_t copy;
    if (!next) next = (int (*)(int, const sigset_t *, int))next_symbol("signalfd");
    return next(fd, without_ours(set, &copy), flags);
}
