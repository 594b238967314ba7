/*
 * signals HOW: what programs do with signals while they are profiled. Two threads burn in before_change, then
 * the program does what HOW says, then they burn in after_change for two seconds of wall time.
 *
 *   signal, sigaction   sets every signal 1 to 64 to its default by that function
 *   raw_handler         puts a handler of its own on the timer signals by the system call itself
 *   raw_ignore          ignores them by the system call itself
 *   ask                 prints what sigaction says of SIGPROF
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define NOIPA __attribute__((noipa))

static atomic_int changed, stop;
static atomic_long strange;
static atomic_llong after;

static NOIPA void before_change(void)
{
    while (!changed) burn(MILLIS);
}

static NOIPA void after_change(void)
{
    int64_t start = thread_cpu();
    while (!stop) burn(MILLIS);
    after += thread_cpu() - start;
}

static NOIPA void *worker(void *argument)
{
    before_change();
    after_change();
    return argument;
}

static void own_handler(int signo)
{
    strange++;
}

/* struct kernel_sigaction, x86-64. */
struct raw_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static void raw(int signo, void (*handler)(int))
{
    struct raw_action action;
    /* The restorer is libc's: taken from a signal that it has set up for us. */
    signal(SIGUSR2, own_handler);
    syscall(SYS_rt_sigaction, SIGUSR2, NULL, &action, 8);
    action.handler = handler;
    syscall(SYS_rt_sigaction, signo, &action, NULL, 8);
}

static void change(const char *how)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, old;
    if (!strcmp(how, "ask")) {
        sigaction(SIGPROF, NULL, &old);
        printf("sigprof %s flags %x\n", old.sa_handler == SIG_DFL ? "default" : "taken", old.sa_flags);
    }
    for (int signo = 1; signo <= 64; signo++) {
        if (!strcmp(how, "signal")) signal(signo, SIG_DFL);
        if (!strcmp(how, "sigaction")) sigaction(signo, &action, NULL);
    }
    if (!strcmp(how, "raw_handler")) raw(SIGPROF, own_handler);
    if (!strcmp(how, "raw_ignore")) raw(SIGPROF, SIG_IGN);
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    pthread_t ids[2];
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, worker, NULL);
    usleep(500000);
    change(argv[1]);
    changed = 1;
    usleep(2500000);
    stop = 1;
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    printf("after %lld\n", (long long)after);
    printf("strange %ld\n", (long)strange);
    print_used(begin);
    return argc - 2;
}
