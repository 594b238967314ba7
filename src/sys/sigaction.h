/* Signal dispositions and masks by raw system calls, in the kernel's own layout. Async-signal-safe. */
#ifndef OTELPROF_SYS_SIGACTION_H
#define OTELPROF_SYS_SIGACTION_H

#include <signal.h>
#include <stdint.h>

#include "sys/rawcall.h"

/* struct kernel_sigaction of x86-64 and arm64 (linux/include/linux/signal_types.h). */
struct sigaction_raw {
    void *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask; /* bit n-1 = signal n */
};

#define SIGACTION_RESTORER 0x04000000UL

/* Returns from a handler: the code that the kernel's frame points to (sigaction_restore.c). */
void sigaction_restore(void);

static inline int sigaction_get(int signo, struct sigaction_raw *action)
{
    return (int)sys_call4(SYS_rt_sigaction, signo, 0, action, sizeof action->mask);
}

static inline int sigaction_set(int signo, const struct sigaction_raw *action)
{
    return (int)sys_call4(SYS_rt_sigaction, signo, action, 0, sizeof action->mask);
}

/* Sets this thread's mask and stores the old one in |old| (may be NULL). */
static inline int sigmask_set(uint64_t mask, uint64_t *old)
{
    return (int)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, old, sizeof mask);
}

static inline uint64_t sigmask_get(void)
{
    uint64_t mask = 0;
    sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, 0, &mask, sizeof mask);
    return mask;
}

static inline uint64_t sigmask_bit(int signo)
{
    return 1ULL << (signo - 1);
}

#endif
