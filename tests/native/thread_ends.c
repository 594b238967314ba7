/*
 * thread_ends HOW: a thread that burns in a function named after the way in which it ends: return, exit
 * (pthread_exit), cancel, detached, clone (no pthread at all), clone_idle (while main only sleeps), main_exit
 * (main is gone before it).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define NOIPA __attribute__((noipa))

enum { BURN_MILLIS = 1500, CLONE_STACK = 256 * 1024 };

static atomic_int done;
static int64_t begin;
static atomic_llong used_by_worker;

static NOIPA void *by_return(void *argument)
{
    burn(BURN_MILLIS * MILLIS);
    used_by_worker = thread_cpu();
    return argument;
}

static NOIPA void *by_exit(void *argument)
{
    burn(BURN_MILLIS * MILLIS);
    used_by_worker = thread_cpu();
    pthread_exit(argument);
}

static void note_cpu(void *argument)
{
    used_by_worker = thread_cpu();
}

static NOIPA void *by_cancel(void *argument)
{
    pthread_cleanup_push(note_cpu, NULL);
    for (;;) {
        burn(5 * MILLIS);
        pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return argument;
}

static NOIPA void *by_detached(void *argument)
{
    burn(BURN_MILLIS * MILLIS);
    used_by_worker = thread_cpu();
    done = 1;
    return argument;
}

/* libc does not know this thread: nothing here may need its thread-local storage. */
static NOIPA int by_clone(void *argument)
{
    burn(2 * BURN_MILLIS * MILLIS);
    used_by_worker = thread_cpu();
    done = 1;
    syscall(SYS_exit, 0);
    return 0;
}

static NOIPA void *by_main_exit(void *argument)
{
    pthread_join(*(pthread_t *)argument, NULL);
    burn(BURN_MILLIS * MILLIS);
    used_by_worker = thread_cpu();
    printf("worker %lld\n", (long long)used_by_worker);
    print_used(begin);
    return NULL;
}

static void wait_done(void)
{
    while (!done) usleep(2000);
    usleep(20000);
}

static void run_clone(void)
{
    char *stack = mmap(NULL, CLONE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    clone(by_clone, stack + CLONE_STACK,
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
    wait_done();
}

int main(int argc, char **argv)
{
    static pthread_t self, id;
    begin = process_cpu();
    self = pthread_self();
    if (!strcmp(argv[1], "return")) {
        pthread_create(&id, NULL, by_return, NULL);
        pthread_join(id, NULL);
    } else if (!strcmp(argv[1], "exit")) {
        pthread_create(&id, NULL, by_exit, NULL);
        pthread_join(id, NULL);
    } else if (!strcmp(argv[1], "cancel")) {
        pthread_create(&id, NULL, by_cancel, NULL);
        usleep(BURN_MILLIS * 1000);
        pthread_cancel(id);
        pthread_join(id, NULL);
    } else if (!strcmp(argv[1], "detached")) {
        pthread_create(&id, NULL, by_detached, NULL);
        pthread_detach(id);
        wait_done();
    } else if (!strcmp(argv[1], "clone")) {
        burn(50 * MILLIS);
        run_clone();
    } else if (!strcmp(argv[1], "clone_idle")) {
        run_clone();
    } else if (!strcmp(argv[1], "main_exit")) {
        pthread_create(&id, NULL, by_main_exit, &self);
        pthread_exit(NULL);
    } else {
        return 2;
    }
    printf("worker %lld\n", (long long)used_by_worker);
    print_used(begin);
    return argc - 2;
}
