/*
 * fork_storm HOW COUNT: COUNT children made by fork and _exit (exit), fork and exec (exec), vfork,
 * posix_spawn (spawn), system; or that live and burn (live, from the main thread; live_thread, from another;
 * nested, a child that does the same) while the parent burns. Each child that lives prints its pid and what
 * it used.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define NOIPA __attribute__((noipa))

extern char **environ;
static atomic_int stop;
static int failures;

static NOIPA void *parent_burn(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

static NOIPA int64_t spin_more(int64_t nanos)
{
    return burn(nanos) + 0;
}

/* The leaf is another function, so that only a stack shows this one. */
static NOIPA void child_burn(void)
{
    spin_more(1200 * MILLIS);
    printf("child %d %lld\n", getpid(), (long long)process_cpu());
    fflush(stdout);
}

static void reap(pid_t pid)
{
    int status = -1;
    if (pid <= 0 || waitpid(pid, &status, 0) != pid || status) failures++;
}

static void run_exec(void)
{
    char *arguments[] = {"true", NULL};
    execve("/bin/true", arguments, environ);
    _exit(9);
}

static NOIPA void live(int nested)
{
    if (nested) {
        pid_t pid = fork();
        if (!pid) {
            child_burn();
            exit(0);
        }
        child_burn();
        reap(pid);
    } else {
        child_burn();
    }
    exit(failures);
}

static void one(const char *how)
{
    char *arguments[] = {"true", NULL};
    pid_t pid = -1;
    if (!strcmp(how, "exit")) {
        pid = fork();
        if (!pid) _exit(0);
    } else if (!strcmp(how, "exec")) {
        pid = fork();
        if (!pid) run_exec();
    } else if (!strcmp(how, "vfork")) {
        pid = vfork();
        if (!pid) run_exec();
    } else if (!strcmp(how, "spawn")) {
        if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ)) failures++;
    } else if (!strcmp(how, "system")) {
        if (system("exit 0")) failures++;
        return;
    } else if (!strncmp(how, "live", 4) || !strcmp(how, "nested")) {
        pid = fork();
        if (!pid) live(!strcmp(how, "nested"));
    }
    reap(pid);
}

static int count;

static void *storm(void *how)
{
    for (int i = 0; i < count; i++) one(how);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t burner, stormer;
    int64_t begin = process_cpu();
    count = atoi(argv[2]);
    pthread_create(&burner, NULL, parent_burn, NULL);
    if (!strcmp(argv[1], "live_thread")) {
        pthread_create(&stormer, NULL, storm, argv[1]);
        pthread_join(stormer, NULL);
    } else {
        storm(argv[1]);
    }
    stop = 1;
    pthread_join(burner, NULL);
    printf("parent %d failures %d\n", getpid(), failures);
    print_used(begin);
    return argc - 3 + failures;
}
