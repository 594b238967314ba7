/* What deep_bind opens: 4 threads that burn 200 ms each, a handler, a mask, a child. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile sig_atomic_t heard;

static void hear(int signo)
{
    heard = signo;
}

static __attribute__((noipa)) void *burn_in_plugin(void *argument)
{
    burn(200 * MILLIS);
    return argument;
}

int run(void);

int run(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_handler = hear};
    sigset_t mask;
    int status;
    sigaction(SIGUSR1, &action, NULL);
    sigfillset(&mask);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, burn_in_plugin, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    sigemptyset(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    raise(SIGUSR1);
    pid_t child = fork();
    if (!child) _exit(5);
    waitpid(child, &status, 0);
    return heard * 100 + WEXITSTATUS(status);
}
