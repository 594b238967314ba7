/* own_sigprof WHEN: a program with a profiler of its own: SIGPROF every 10 ms of CPU by setitimer, installed
 * at once (early) or after 600 ms of work (late); then 3 s of CPU. Prints its ticks. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "burn.h"

static volatile sig_atomic_t ticks, strange;

static void tick(int signo, siginfo_t *info, void *context)
{
    ticks++;
    if (info->si_code != SI_KERNEL) strange++;
}

static __attribute__((noipa)) void work(int64_t nanos)
{
    burn(nanos);
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    if (!strcmp(argv[1], "late")) work(600 * MILLIS);
    struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
    struct itimerval every = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGPROF, &action, &old);
    printf("old %s\n", old.sa_handler == SIG_DFL ? "default" : "taken");
    setitimer(ITIMER_PROF, &every, NULL);
    work(3 * SECONDS);
    setitimer(ITIMER_PROF, &off, NULL);
    sigaction(SIGPROF, NULL, &old);
    printf("ticks %d strange %d handler %s\n", (int)ticks, (int)strange,
           old.sa_sigaction == tick ? "own" : "another");
    print_used(begin);
    return argc - 2;
}
