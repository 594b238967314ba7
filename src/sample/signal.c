#include "sample/signal.h"

#include <errno.h>

#include "sample/sampler.h"

/* Signals 32 to 34 belong to libc (cancellation, setuid, musl's synccall); node and others rarely go
 * above 40. */
enum { LOWEST_RT = 35, HIGHEST_RT = 64, RUNTIME_TAKES = 16 };

static int is_free(int signo)
{
    struct sigaction_raw action;
    if (sampler.given_up & sigmask_bit(signo)) return 0;
    return sigaction_get(signo, &action) == 0 && action.handler == (void *)SIG_DFL;
}

/*
 * The Go runtime takes every signal for the case that the program asks for it by os/signal.Notify; a
 * real-time one that it did not send itself does nothing there. The highest that has the handler of most
 * others: ours passes on what is not ours.
 */
static int borrow_from_runtime(void)
{
    struct sigaction_raw actions[HIGHEST_RT + 1];
    for (int signo = LOWEST_RT; signo <= HIGHEST_RT; signo++)
        if (sigaction_get(signo, &actions[signo])) actions[signo].handler = (void *)SIG_DFL;
    for (int signo = HIGHEST_RT; signo >= LOWEST_RT; signo--) {
        void *handler = actions[signo].handler;
        int same = 0;
        for (int other = LOWEST_RT; other <= HIGHEST_RT; other++) same += actions[other].handler == handler;
        if (same < RUNTIME_TAKES || handler == (void *)SIG_DFL || handler == (void *)SIG_IGN) continue;
        if (!(sampler.given_up & sigmask_bit(signo))) return signo;
    }
    return -EBUSY;
}

int signal_choose(int is_node, int wanted)
{
    if (wanted) return wanted;
    if (!is_node && is_free(SIGPROF)) return SIGPROF;
    for (int signo = HIGHEST_RT; signo >= LOWEST_RT; signo--)
        if (is_free(signo)) return signo;
    return sampler.alternate_stack ? borrow_from_runtime() : -EBUSY;
}

int signal_install(int signo)
{
    int rc = sigaction_get(signo, &sampler.former);
    if (rc) return rc;
    struct sigaction_raw ours = {.handler = (void *)sampler_handle,
                                 .flags = SA_SIGINFO | SA_RESTART | SIGACTION_RESTORER |
                                          (sampler.alternate_stack ? SA_ONSTACK : 0),
                                 .restorer = sigaction_restore,
                                 .mask = ~0ULL};
    return sigaction_set(signo, &ours);
}

/* Setting SIG_IGN first makes the kernel discard what is pending: with SIG_DFL a late tick would kill the
 * process. */
void signal_restore(int signo)
{
    struct sigaction_raw ignore = {.handler = (void *)SIG_IGN};
    sigaction_set(signo, &ignore);
    sigaction_set(signo, &sampler.former);
}

int signal_is_ours(int signo)
{
    struct sigaction_raw action;
    return sigaction_get(signo, &action) == 0 && action.handler == (void *)sampler_handle;
}
