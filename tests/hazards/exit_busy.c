/* exit_busy HOW: ends with code 7 while six threads are busy: exit, return, quick (quick_exit), now (_exit),
 * thread (exit by another thread than main). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

static void *busy(void *argument)
{
    for (;;) {
        burn(MILLIS / 10);
        free(malloc(100));
    }
    return argument;
}

static void *ender(void *argument)
{
    exit(7);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t id;
    for (int i = 0; i < 6; i++) pthread_create(&id, NULL, busy, NULL);
    usleep((useconds_t)(clock_nanos(CLOCK_MONOTONIC) % 40000));
    if (!strcmp(argv[1], "exit")) exit(7);
    if (!strcmp(argv[1], "quick")) quick_exit(7);
    if (!strcmp(argv[1], "now")) _exit(7);
    if (!strcmp(argv[1], "thread")) {
        pthread_create(&id, NULL, ender, NULL);
        for (;;) pause();
    }
    return 7 + argc - 2;
}
