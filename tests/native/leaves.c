/*
 * leaves: where a leaf is hard to place. A signal handler that burns above an interrupted function; calls
 * through the procedure linkage table; the vdso. Prints what each part used.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "burn.h"

#define NOIPA __attribute__((noipa))

extern long tiny_function(long); /* in a library of its own: empty, so that the linkage costs most */

static volatile int64_t in_handler;

static NOIPA void handler_burn(int signo)
{
    in_handler += burn(30 * MILLIS);
}

static NOIPA void interrupted_work(int64_t nanos)
{
    int64_t end = thread_cpu() + nanos;
    while (thread_cpu() < end)
        for (int i = 0; i < 50; i++) spin();
}

static NOIPA int64_t handler_part(void)
{
    struct itimerval every = {{0, 70000}, {0, 70000}}, off = {{0, 0}, {0, 0}};
    int64_t start = thread_cpu();
    signal(SIGALRM, handler_burn);
    setitimer(ITIMER_REAL, &every, NULL);
    interrupted_work(1500 * MILLIS);
    setitimer(ITIMER_REAL, &off, NULL);
    printf("part handler_burn %lld\n", (long long)in_handler);
    return thread_cpu() - start;
}

static NOIPA int64_t plt_loop(void)
{
    int64_t start = thread_cpu();
    volatile long sum = 0;
    while (thread_cpu() - start < SECONDS)
        for (int i = 0; i < 20000; i++) sum += tiny_function(i);
    return thread_cpu() - start;
}

static NOIPA int64_t vdso_loop(void)
{
    int64_t start = thread_cpu();
    struct timespec now;
    while (thread_cpu() - start < SECONDS)
        for (int i = 0; i < 1000; i++) clock_gettime(CLOCK_MONOTONIC, &now);
    return thread_cpu() - start;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    printf("part handler_part %lld\n", (long long)handler_part());
    printf("part plt_loop %lld\n", (long long)plt_loop());
    printf("part vdso_loop %lld\n", (long long)vdso_loop());
    print_used(begin);
    return argc - 1;
}
