/* late_burn DELAY [fork]: two threads burn 300 ms each, one of which ends; then sleeps until DELAY ms after
 * its start; then the other thread and main burn 500 ms each. With "fork", all that in a child that is born
 * at once. "used" is of the time after the sleep, "pid" tells who burned. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static sem_t early_done, go;

static __attribute__((noipa)) void burn_early(void)
{
    burn(300 * MILLIS);
}

static __attribute__((noipa)) void burn_late(void)
{
    burn(500 * MILLIS);
}

static void *ends_early(void *argument)
{
    burn_early();
    return argument;
}

static void *stays(void *argument)
{
    burn_early();
    sem_post(&early_done);
    while (sem_wait(&go)) {
    }
    burn_late();
    return argument;
}

int main(int argc, char **argv)
{
    int64_t until = clock_nanos(CLOCK_MONOTONIC) + atoi(argv[1]) * MILLIS;
    pthread_t one, two;
    if (argc > 2 && fork()) {
        int status;
        wait(&status);
        return status != 0;
    }
    sem_init(&early_done, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&one, NULL, ends_early, NULL);
    pthread_create(&two, NULL, stays, NULL);
    pthread_join(one, NULL);
    sem_wait(&early_done);
    struct timespec end = {until / SECONDS, until % SECONDS};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL)) {
    }
    int64_t begin = process_cpu();
    sem_post(&go);
    burn_late();
    pthread_join(two, NULL);
    printf("pid %d\n", (int)getpid());
    print_used(begin);
    return 0;
}
