/* ends_at_window MILLIS STEP PLUGIN: 40 busy threads of which thread i ends MILLIS + i x STEP after the
 * start. So many mappings that it takes the profiler long to read them, and a PLUGIN that comes and goes so
 * that it must: between its looks at which threads have ended and at the clocks there is time for others to
 * end. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "burn.h"

enum { THREADS = 40, MAPPINGS = 20000, PAGE = 4096 };

static int64_t start, millis, step;

static __attribute__((noipa)) void *ends(void *argument)
{
    int64_t deadline = start + (millis + (int64_t)(intptr_t)argument * step) * MILLIS;
    while (clock_nanos(CLOCK_MONOTONIC) < deadline) spin();
    return argument;
}

static int make_mappings(void)
{
    char *pages = mmap(NULL, (size_t)MAPPINGS * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return -1;
    for (int i = 0; i < MAPPINGS; i += 2)
        if (mprotect(pages + (size_t)i * PAGE, PAGE, PROT_NONE)) return -1;
    return 0;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    pthread_t ids[THREADS];
    if (argc != 4 || make_mappings()) return 2;
    millis = atoi(argv[1]);
    step = atoi(argv[2]);
    start = clock_nanos(CLOCK_MONOTONIC);
    int64_t end = start + (millis + (THREADS - 1) * step) * MILLIS;
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&ids[i], NULL, ends, (void *)i)) return 3;
    while (clock_nanos(CLOCK_MONOTONIC) < end) {
        void *library = dlopen(argv[3], RTLD_NOW);
        if (!library) return 4;
        dlclose(library);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
    print_used(begin);
    return 0;
}
