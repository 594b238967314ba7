/*
 * Overrides: sigaction, signal.
 *
 * When the application takes the signal that our timers use, we move to another one before it takes effect:
 * it never gets a tick of ours, and we never lose one to it. When it asks what its disposition is, it hears
 * what it would be without us. What goes around libc is seen by the background thread within a second
 * (collect/collector.c).
 */
#include <signal.h>
#include <string.h>

#include "active.h"
#include "next.h"
#include "sample/sampler.h"

typedef int sigaction_function(int, const struct sigaction *, struct sigaction *);
typedef void (*signal_function(int, void (*)(int)))(int);

static int is_ours(int signo)
{
    if (!preload_active() || signo != __atomic_load_n(&sampler.signo, __ATOMIC_ACQUIRE)) return 0;
    return sys_getpid() ==
           sampler.pid; /* a vfork child's dispositions are its own, but this memory is its parent's */
}

static void report_former(struct sigaction *action)
{
    memset(action, 0, sizeof *action);
    action->sa_handler = (void (*)(int))sampler.former.handler;
    action->sa_flags = (int)(sampler.former.flags & ~SIGACTION_RESTORER);
    memcpy(&action->sa_mask, &sampler.former.mask, sizeof sampler.former.mask);
}

__attribute__((visibility("default"))) int sigaction(int signo, const struct sigaction *action,
                                                     struct sigaction *old)
{
    static sigaction_function *next;
    if (!next) next = (sigaction_function *)next_symbol("sigaction");
    if (is_ours(signo)) {
        if (!action && old) {
            report_former(old);
            return 0;
        }
        if (action) sampler_change_signal();
    }
    return next(signo, action, old);
}

__attribute__((visibility("default"))) void (*signal(int signo, void (*handler)(int)))(int)
{
    static signal_function *next;
    if (!next) next = (signal_function *)next_symbol("signal");
    if (is_ours(signo)) sampler_change_signal();
    return next(signo, handler);
}
