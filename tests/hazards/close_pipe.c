/* close_pipe: keeps the profiler's thread busy, makes pipes, gives up their writing ends and reads: how long
 * the end of the longest took, in us. Then it gives up its standard error, has a file of its own there and
 * sleeps over some windows. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "burn.h"

enum { PIPES = 2000 };

static atomic_int stop;

static void *burner(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu(), longest = 0;
    pthread_t id;
    char byte;
    int early[2];
    if (pipe(early)) return 1; /* older than the profiler's thread */
    pthread_create(&id, NULL, burner, NULL);
    usleep(700000);
    for (int i = 0; i < PIPES; i++) {
        int ends[2] = {early[0], early[1]};
        if (i && pipe(ends)) return 1;
        close(ends[1]);
        int64_t start = clock_nanos(CLOCK_MONOTONIC);
        if (read(ends[0], &byte, 1)) return 1;
        int64_t took = clock_nanos(CLOCK_MONOTONIC) - start;
        if (took > longest) longest = took;
        close(ends[0]);
    }
    close(2);
    if (open(argv[1], O_RDWR | O_CREAT, 0600) != 2) return 1;
    usleep(700000);
    long size = lseek(2, 0, SEEK_END);
    stop = 1;
    pthread_join(id, NULL);
    printf("longest %lld size %ld\n", (long long)(longest / 1000), size);
    print_used(begin);
    return argc - 2;
}
