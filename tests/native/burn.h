/* Burning CPU by the clock that profiles are checked against. Header only: every test program is one file. */
#ifndef OTELPROF_TESTS_BURN_H
#define OTELPROF_TESTS_BURN_H

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#define MILLIS 1000000LL
#define SECONDS 1000000000LL

static inline int64_t clock_nanos(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * SECONDS + now.tv_nsec;
}

static inline int64_t thread_cpu(void)
{
    return clock_nanos(CLOCK_THREAD_CPUTIME_ID);
}

/* What getrusage says of the process, in ns. */
static inline int64_t process_cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECONDS +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

/* About 10 us of arithmetic in the function that calls it. */
static inline __attribute__((always_inline)) void spin(void)
{
    volatile uint64_t x = 88172645463325252ULL;
    for (int i = 0; i < 2000; i++) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
}

/* Uses |nanos| of the calling thread's CPU time, in the function that calls it; what it used, in ns. */
static inline __attribute__((always_inline)) int64_t burn(int64_t nanos)
{
    int64_t start = thread_cpu(), now;
    do {
        spin();
        now = thread_cpu();
    } while (now - start < nanos);
    return now - start;
}

/* The line that profiled_case.Run.used() reads: |begin| is process_cpu() at the start of main. */
static inline void print_used(int64_t begin)
{
    printf("used %lld %lld\n", (long long)begin, (long long)process_cpu());
    fflush(stdout);
}

#endif
