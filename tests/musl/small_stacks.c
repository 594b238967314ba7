/*
 * small_stacks BYTES MILLIS: four threads with stacks of BYTES (0: libc's default, 128 KiB in musl), of which
 * each goes down recursively, burning at every level, until 12 KiB are left of what it asked for (a signal
 * frame and its handler need some of them), again and again until it has used MILLIS of CPU.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "burn.h"

enum { THREADS = 4, DEFAULT_BYTES = 128 * 1024, LEFT = 12 * 1024 };

static size_t bytes;
static int64_t limit;

static __attribute__((noipa)) int64_t down(char *top)
{
    volatile char frame[512] = {1};
    if (top - (char *)frame < (long)bytes - LEFT && thread_cpu() < limit) return down(top) + frame[1];
    return burn(MILLIS / 10) + frame[1];
}

static __attribute__((noipa)) void *worker(void *argument)
{
    char top;
    while (thread_cpu() < limit) burn(MILLIS / 10), down(&top);
    return argument;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    pthread_t ids[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    bytes = (size_t)atol(argv[1]);
    limit = atoll(argv[2]) * MILLIS;
    if (bytes && pthread_attr_setstacksize(&attributes, bytes)) return 4;
    if (!bytes) bytes = DEFAULT_BYTES;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&ids[i], &attributes, worker, NULL)) return 3;
    for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
    print_used(begin);
    return argc - 3;
}
