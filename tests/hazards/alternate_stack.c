/* alternate_stack: a signal handler on an 8 KiB alternate stack burns for most of the time, on two threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

enum { STACK_BYTES = 8192 };

static __attribute__((noipa)) void alternate_handler(int signo)
{
    burn(80 * MILLIS);
}

static __attribute__((noipa)) void raise_in_turns(void)
{
    for (int i = 0; i < 15; i++) {
        pthread_kill(pthread_self(), SIGUSR1);
        burn(20 * MILLIS);
    }
}

static void *worker(void *argument)
{
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    sigaltstack(&stack, NULL);
    raise_in_turns();
    return argument;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    pthread_t ids[2];
    struct sigaction action = {.sa_handler = alternate_handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    print_used(begin);
    return argc - 1;
}
