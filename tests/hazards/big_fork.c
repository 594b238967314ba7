/* big_fork MEBIBYTES: touches that much memory and prints the median time of seven forks, in us, while a
 * thread burns. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { FORKS = 7 };

static atomic_int stop;

static void *burner(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

static int compare(const void *a, const void *b)
{
    return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

int main(int argc, char **argv)
{
    size_t size = (size_t)atoi(argv[1]) << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
    pthread_t id;
    pthread_create(&id, NULL, burner, NULL);
    int64_t took[FORKS];
    for (int i = 0; i < FORKS; i++) {
        int64_t start = clock_nanos(CLOCK_MONOTONIC);
        pid_t pid = fork();
        if (!pid) _exit(0);
        took[i] = clock_nanos(CLOCK_MONOTONIC) - start;
        waitpid(pid, NULL, 0);
    }
    stop = 1;
    pthread_join(id, NULL);
    qsort(took, FORKS, sizeof *took, compare);
    printf("median %lld\n", (long long)(took[FORKS / 2] / 1000));
    return argc - 2;
}
