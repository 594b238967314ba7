/* interrupted_calls MILLIS: idle threads in calls that SA_RESTART does not restart, beside two busy ones.
 * Prints how often each call ended with EINTR. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "burn.h"

enum { WAIT_MILLIS = 35 };

static atomic_int stop;

struct call {
    const char *name;
    int (*wait)(void);
    long rounds, interrupted;
};

static int in_nanosleep(void)
{
    struct timespec time = {0, WAIT_MILLIS * MILLIS};
    return nanosleep(&time, NULL);
}

static int in_poll(void)
{
    return poll(NULL, 0, WAIT_MILLIS);
}

static int in_epoll_wait(void)
{
    struct epoll_event event;
    int fd = epoll_create1(EPOLL_CLOEXEC), rc = epoll_wait(fd, &event, 1, WAIT_MILLIS), error = errno;
    close(fd);
    errno = error;
    return rc;
}

static int in_select(void)
{
    struct timeval time = {0, WAIT_MILLIS * 1000};
    return select(0, NULL, NULL, NULL, &time);
}

static int in_sem_timedwait(void)
{
    sem_t semaphore;
    struct timespec time;
    sem_init(&semaphore, 0, 0);
    clock_gettime(CLOCK_REALTIME, &time);
    int64_t until = time.tv_sec * SECONDS + time.tv_nsec + WAIT_MILLIS * MILLIS;
    time = (struct timespec){until / SECONDS, until % SECONDS};
    return sem_timedwait(&semaphore, &time);
}

static int in_recv(void)
{
    int pair[2];
    char byte;
    struct timeval time = {0, WAIT_MILLIS * 1000};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    int rc = (int)recv(pair[0], &byte, 1, 0), error = errno;
    close(pair[0]);
    close(pair[1]);
    errno = error;
    return rc;
}

static struct call calls[] = {{"nanosleep", in_nanosleep, 0, 0},         {"poll", in_poll, 0, 0},
                              {"epoll_wait", in_epoll_wait, 0, 0},       {"select", in_select, 0, 0},
                              {"sem_timedwait", in_sem_timedwait, 0, 0}, {"recv", in_recv, 0, 0}};

static void *idle(void *argument)
{
    struct call *call = argument;
    while (!stop) {
        burn(MILLIS / 2); /* its timer is near its expiry when it blocks */
        if (call->wait() < 0 && errno == EINTR) call->interrupted++;
        call->rounds++;
    }
    return NULL;
}

static void *busy(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

int main(int argc, char **argv)
{
    enum { CALLS = sizeof calls / sizeof *calls };
    pthread_t ids[CALLS + 2];
    for (int i = 0; i < CALLS; i++) pthread_create(&ids[i], NULL, idle, &calls[i]);
    for (int i = 0; i < 2; i++) pthread_create(&ids[CALLS + i], NULL, busy, NULL);
    usleep((useconds_t)atoi(argv[1]) * 1000);
    stop = 1;
    for (int i = 0; i < CALLS + 2; i++) pthread_join(ids[i], NULL);
    for (int i = 0; i < CALLS; i++)
        printf("call %s %ld %ld\n", calls[i].name, calls[i].rounds, calls[i].interrupted);
    return argc - 2;
}
