/* before_main HOW: what a program does before our constructor has run, and after our destructor: functions of
 * the preinit array come before every library's constructors, what they register at exit after every
 * library's destructors.
 *   threads   a thread that burns 300 ms, signal handlers, masks, a forked child
 *   exit      exit(7) before anything has begun
 *   late      burns 100 ms after main and all destructors
 * "used" is of the time after the start of main. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static pthread_t early_thread;
static volatile sig_atomic_t heard;
static int child_status = -1, mask_kept;
static const char *how = "";

static __attribute__((noipa)) void burn_in_early_thread(void)
{
    burn(300 * MILLIS);
}

static void *run_early(void *argument)
{
    burn_in_early_thread();
    return argument;
}

static void hear(int signo)
{
    heard = signo;
}

static void burn_late(void)
{
    burn(100 * MILLIS);
    write(STDOUT_FILENO, "late\n", 5);
}

static void early(int argc, char **argv, char **environment)
{
    if (argc > 1) how = argv[1];
    if (!strcmp(how, "exit")) exit(7);
    if (!strcmp(how, "late")) atexit(burn_late);
    if (strcmp(how, "threads")) return;
    struct sigaction action = {.sa_handler = hear};
    sigset_t mask;
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, hear);
    sigemptyset(&mask);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    pthread_create(&early_thread, NULL, run_early, NULL);
    pid_t child = fork();
    if (!child) _exit(5);
    waitpid(child, &child_status, 0);
}

static __attribute__((section(".preinit_array"), used)) void (*const preinit)(int, char **, char **) = early;

static __attribute__((noipa)) void burn_in_main(void)
{
    burn(300 * MILLIS);
}

int main(void)
{
    sigset_t mask;
    int64_t begin = process_cpu();
    burn_in_main();
    if (!strcmp(how, "threads")) {
        pthread_join(early_thread, NULL);
        raise(SIGUSR1);
        printf("first %d\n", heard);
        raise(SIGUSR2);
        sigprocmask(SIG_BLOCK, NULL, &mask);
        mask_kept = sigismember(&mask, SIGHUP);
        printf("second %d child %d mask %d\n", heard, WEXITSTATUS(child_status), mask_kept);
    }
    print_used(begin);
    return 3;
}
