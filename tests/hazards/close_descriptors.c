/*
 * close_descriptors MILLIS FILE: closes every descriptor from 3 up in a loop while a thread burns, opens
 * FILE, writes to it; at the end compares what is in FILE with what was written. Prints how often the new
 * descriptor was not 3.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

static atomic_int stop;

static void *burner(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    int first = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    pthread_t id;
    pthread_create(&id, NULL, burner, NULL);
    int64_t end = clock_nanos(CLOCK_MONOTONIC) + atoi(argv[1]) * MILLIS;
    long rounds = 0, other = 0, damaged = 0;
    while (clock_nanos(CLOCK_MONOTONIC) < end) {
        char text[64], back[64] = "";
        int n = snprintf(text, sizeof text, "round %ld of the application\n", rounds);
        close_range(3, ~0U, 0);
        int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
        other += fd != 3;
        if (write(fd, text, (size_t)n) != n) damaged++;
        if (rounds % 20 == 0) usleep(1000); /* time for somebody who still has this number */
        if (pread(fd, back, sizeof back, 0) != n || memcmp(text, back, (size_t)n)) damaged++;
        rounds++;
    }
    stop = 1;
    pthread_join(id, NULL);
    printf("first %d rounds %ld other %ld damaged %ld\n", first, rounds, other, damaged);
    print_used(begin);
    return argc - 3;
}
