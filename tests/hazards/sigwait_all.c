/*
 * sigwait_all HOW: a program that blocks every signal and takes them by sigwait, as many servers do. Two
 * threads burn with everything blocked; HOW = sigwait or signalfd: main waits, having burned first with
 * everything blocked (so a tick of ours could be pending); HOW = self: main burns and polls in turns. Prints
 * every signal that comes.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "burn.h"

static atomic_int stop;

static __attribute__((noipa)) void *blocked_burn(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

static int wait_some(const char *how, const sigset_t *all, int fd, int millis)
{
    struct timespec timeout = {millis / 1000, millis % 1000 * MILLIS};
    siginfo_t info;
    struct signalfd_siginfo read_info;
    struct pollfd waiting = {fd, POLLIN, 0};
    if (strcmp(how, "signalfd")) return sigtimedwait(all, &info, &timeout);
    if (poll(&waiting, 1, millis) <= 0 || read(fd, &read_info, sizeof read_info) <= 0) return -1;
    return (int)read_info.ssi_signo;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    pthread_t ids[2];
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    int fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, blocked_burn, NULL);
    int rounds = strcmp(argv[1], "self") ? 8 : 40;
    for (int round = 0; round < rounds; round++) {
        burn(20 * MILLIS);
        int signo = wait_some(argv[1], &all, fd, strcmp(argv[1], "self") ? 300 : 5);
        if (signo > 0) printf("signal %d in round %d\n", signo, round);
    }
    stop = 1;
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    print_used(begin);
    return argc - 2;
}
