/*
 * shares THREADS CPU_MILLIS: functions that take 10, 20, 30 and 40 % of the CPU time, in slices of about a
 * millisecond in random order (regular slices would beat against the sampling), on each thread, until each
 * has used CPU_MILLIS. Prints what each function and each thread really used.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define NOIPA __attribute__((noipa))

static NOIPA int64_t burn_10(int64_t nanos)
{
    return burn(nanos) + 0;
}

static NOIPA int64_t burn_20(int64_t nanos)
{
    return burn(nanos) + 0;
}

static NOIPA int64_t burn_30(int64_t nanos)
{
    return burn(nanos) + 0;
}

static NOIPA int64_t burn_40(int64_t nanos)
{
    return burn(nanos) + 0;
}

static int64_t (*const functions[4])(int64_t) = {burn_10, burn_20, burn_30, burn_40};

static int64_t limit;
static int64_t used[4];

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A slice of function i lasts (i + 1) * (0.15 to 0.45 ms). */
static NOIPA void mix(int64_t own[4], uint64_t seed)
{
    int64_t end = thread_cpu() + limit;
    while (thread_cpu() < end) {
        int i = (int)(next_random(&seed) % 4);
        int64_t unit = 150000 + (int64_t)(next_random(&seed) % 300000);
        own[i] += functions[i](unit * (i + 1));
    }
}

static void *worker(void *argument)
{
    long number = (long)argument;
    char name[16];
    int64_t own[4] = {0};
    snprintf(name, sizeof name, "worker-%ld", number);
    pthread_setname_np(pthread_self(), name);
    mix(own, 0x9e3779b97f4a7c15ULL * (uint64_t)(number + 1));
    for (int i = 0; i < 4; i++) __atomic_add_fetch(&used[i], own[i], __ATOMIC_RELAXED);
    printf("thread %ld %s %lld\n", syscall(SYS_gettid), name, (long long)thread_cpu());
    return NULL;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    int threads = atoi(argv[1]);
    limit = atoi(argv[2]) * MILLIS;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (threads == 1) {
        worker((void *)0);
    } else {
        pthread_t *ids = calloc((size_t)threads, sizeof *ids);
        for (long i = 0; i < threads; i++) pthread_create(&ids[i], NULL, worker, (void *)i);
        for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    }
    for (int i = 0; i < 4; i++) printf("function burn_%d %lld\n", (i + 1) * 10, (long long)used[i]);
    print_used(begin);
    return argc - 3;
}
