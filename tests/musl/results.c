/*
 * results HOW: prints what libc calls return and what errno is after them, burning CPU in between, in two
 * threads at once when HOW is "threads". Ends by HOW: "return", "exit", "quick" (_exit), "abort", "term"
 * (SIGTERM), "threads" (return). The output must not depend on who else is in the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { KEPT = 77, ROUNDS = 20 };

extern char **environ;

#define SAY(call) say(#call, (errno = KEPT, (long)(call)))

static void say(const char *what, long result)
{
    int error = errno;
    if (result <
        0) /* what a call that succeeds leaves in errno is nobody's business, and musl's setuid differs */
        printf("%s: failed, errno %d\n", what, error);
    else
        printf("%s: %s\n", what, result ? "positive" : "0");
    burn(5 * MILLIS);
}

static void signals(void)
{
    sigset_t set, old;
    siginfo_t info;
    struct timespec soon = {0, 1000000};
    struct sigaction action = {.sa_handler = SIG_IGN};
    int signo;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    SAY(sigaction(SIGUSR2, &action, NULL));
    SAY(sigaction(SIGKILL, &action, NULL));
    SAY(sigaction(1000, &action, NULL));
    SAY(signal(SIGHUP, SIG_IGN) == SIG_DFL);
    SAY(pthread_sigmask(1000, &set, NULL));
    SAY(sigprocmask(1000, &set, NULL));
    SAY(pthread_sigmask(SIG_BLOCK, &set, &old));
    SAY(sigtimedwait(&set, &info, &soon));
    raise(SIGUSR1);
    SAY(sigwaitinfo(&set, &info) == SIGUSR1);
    raise(SIGUSR1);
    SAY(sigwait(&set, &signo));
    SAY(signalfd(1000, &set, 0));
    SAY(pthread_sigmask(SIG_SETMASK, &old, NULL));
}

static void processes(void)
{
    char *words[] = {"sh", "-c", "exit 5", NULL};
    pid_t child = fork();
    int status = 0;
    if (!child) {
        burn(20 * MILLIS);
        _exit(errno == KEPT ? 4 : 3);
    }
    SAY(waitpid(child, &status, 0) == child);
    printf("child %d\n", WEXITSTATUS(status));
    SAY(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ));
    SAY(waitpid(child, &status, 0) == child);
    printf("spawned %d\n", WEXITSTATUS(status));
    SAY(system("exit 6") >> 8 == 6);
    SAY(waitpid(-1, &status, WNOHANG));
    SAY(setgid(getgid()));
    SAY(setuid(getuid()));
}

static void *nothing(void *argument)
{
    return argument;
}

static void threads(void)
{
    pthread_attr_t huge;
    pthread_t id;
    void *result;
    pthread_attr_init(&huge);
    SAY(pthread_attr_setstacksize(&huge, (size_t)1 << 46));
    SAY(pthread_create(&id, &huge, nothing, NULL) == EAGAIN);
    SAY(pthread_create(&id, NULL, nothing, &huge));
    SAY(pthread_join(id, &result));
    SAY(result == &huge);
    void *self = dlopen(NULL, RTLD_NOW);
    SAY(dlclose(self));
    SAY(dlopen("/no/such/library.so", RTLD_NOW) == NULL);
}

/* errno is what it was, whatever interrupted the thread. */
static void *keep(void *unused)
{
    int changed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        errno = KEPT + i;
        burn(10 * MILLIS);
        changed += errno != KEPT + i;
    }
    return changed ? NULL : "kept";
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    pthread_t other;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(how, "threads") && pthread_create(&other, NULL, keep, NULL)) return 9;
    SAY(open("/no/such/file", O_RDONLY));
    SAY(close(1000));
    SAY(read(-1, NULL, 0));
    signals();
    processes();
    threads();
    printf("errno %s\n", keep(NULL) ? "kept" : "changed");
    fprintf(stderr, "on stderr\n");
    if (!strcmp(how, "threads")) {
        void *kept;
        pthread_join(other, &kept);
        printf("errno of the other thread %s\n", kept ? "kept" : "changed");
    }
    if (!strcmp(how, "exit")) exit(41);
    if (!strcmp(how, "quick")) _exit(42);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "term")) raise(SIGTERM);
    return 43;
}
