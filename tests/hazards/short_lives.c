/*
 * short_lives HOW MILLIS: a process that uses MILLIS of CPU and ends; its output is the same each time.
 *
 *   return     exit code MILLIS
 *   fork       three children that burn as long and end by exit, _exit and SIGKILL, waited for in order
 *   threads    four threads that burn as long
 *   orphan     a thread that still burns when main returns
 *   kill       by SIGTERM
 *   abort      by abort
 *   quick      by _exit
 *   exec       becomes `return`
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static int64_t nanos;

static void *burner(void *argument)
{
    burn(nanos);
    return argument;
}

static void *endless(void *argument)
{
    for (;;) burn(MILLIS);
    return argument;
}

static void fork_children(void)
{
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            burn(nanos);
            if (i == 0) exit(4);
            if (i == 1) _exit(5);
            raise(SIGKILL);
        }
        int status;
        waitpid(pid, &status, 0);
        printf("child %d %#x\n", i, (unsigned)status);
    }
}

static void run_threads(void)
{
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&ids[i], NULL, burner, NULL)) abort();
    for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    pthread_t id;
    nanos = atoi(argv[2]) * MILLIS;
    printf("%s\n", how);
    fprintf(stderr, "to stderr\n");
    if (!strcmp(how, "orphan")) pthread_create(&id, NULL, endless, NULL);
    burn(nanos);
    if (!strcmp(how, "fork")) fork_children();
    if (!strcmp(how, "threads")) run_threads();
    fflush(stdout);
    if (!strcmp(how, "kill")) raise(SIGTERM);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "quick")) _exit(6);
    if (!strcmp(how, "exec")) execl(argv[0], argv[0], "return", argv[2], (char *)NULL);
    return atoi(argv[2]);
}
