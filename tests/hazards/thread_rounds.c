/*
 * thread_rounds ROUNDS COUNT MICROS: each round creates COUNT threads that use MICROS of CPU each, and joins
 * them. After each round a line "round RESIDENT MAPPINGS TIMERS": bytes, lines of /proc/self/maps, POSIX
 * timers; at the end "joined N", those whose result was right.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

enum { LARGEST = 6 };

static int64_t nanos;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* closed until all of a round are there */

static __attribute__((noipa)) void *short_thread(void *argument)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    burn(nanos);
    return (void *)((uintptr_t)argument * 3);
}

/* Lines of the file that begin with |word|. */
static int count_lines(const char *path, const char *word)
{
    char line[1024];
    int count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) count += !strncmp(line, word, strlen(word));
    if (file) fclose(file);
    return count;
}

static long resident(void)
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* The number of threads whose result was right; -1: one could not be created. */
static long run_round(pthread_t *ids, int count)
{
    long joined = 0;
    pthread_mutex_lock(&gate);
    for (int i = 0; i < count; i++)
        if (pthread_create(&ids[i], NULL, short_thread, (void *)(uintptr_t)i)) return -1;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < count; i++) {
        void *result = NULL;
        pthread_join(ids[i], &result);
        joined += (uintptr_t)result == (uintptr_t)i * 3;
    }
    return joined;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    int rounds = atoi(argv[1]), count = atoi(argv[2]);
    pthread_t *ids = calloc((size_t)count * LARGEST, sizeof *ids);
    nanos = atoi(argv[3]) * 1000LL;
    long joined = run_round(ids, count * LARGEST);
    for (int round = 0; round < rounds && joined >= 0; round++) {
        long right = run_round(ids, count);
        joined = right < 0 ? -1 : joined + right;
        printf("round %ld %d %d\n", resident(), count_lines("/proc/self/maps", ""),
               count_lines("/proc/self/timers", "ID:"));
    }
    free(ids);
    printf("joined %ld\n", joined);
    print_used(begin);
    return argc - 4;
}
