/* short_threads COUNT AT_A_TIME MICROS: COUNT threads that each use MICROS of CPU, AT_A_TIME of them at once.
 * Prints how many POSIX timers the process has at the end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

static int64_t nanos;

static __attribute__((noipa)) void *short_thread(void *argument)
{
    burn(nanos);
    return argument;
}

static int count_timers(void)
{
    FILE *file = fopen("/proc/self/timers", "r");
    char line[256];
    int count = 0;
    while (file && fgets(line, sizeof line, file)) count += !strncmp(line, "ID:", 3);
    if (file) fclose(file);
    return count;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    int count = atoi(argv[1]), batch = atoi(argv[2]);
    nanos = atoi(argv[3]) * 1000LL;
    pthread_t *ids = calloc((size_t)batch, sizeof *ids);
    for (int done = 0; done < count; done += batch) {
        for (int i = 0; i < batch; i++)
            if (pthread_create(&ids[i], NULL, short_thread, NULL)) return 3;
        for (int i = 0; i < batch; i++) pthread_join(ids[i], NULL);
    }
    printf("timers %d\n", count_timers());
    print_used(begin);
    return argc - 4;
}
