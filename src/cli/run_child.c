// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // pipe2
#include "run_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "complain.h"

enum { CANNOT_EXECUTE = 126, NOT_FOUND = 127, KILLED = 128 };

static const int ignored[] = {SIGINT, SIGQUIT}, forwarded[] = {SIGTERM, SIGHUP};

// What was before, to be given to the child. The handler reads |child|.
static struct {
    struct sigaction ignored[2], forwarded[2];
    sigset_t mask;
    volatile sig_atomic_t child;
} state;

static void forward(int signal)
{
    int saved = errno;
    kill((pid_t)state.child, signal);
    errno = saved;
}

// Blocks the forwarded signals until there is a child to forward them to.
static void take_signals(void)
{
    sigset_t block;
    sigemptyset(&block);
    for (int i = 0; i < 2; i++) sigaddset(&block, forwarded[i]);
    sigprocmask(SIG_BLOCK, &block, &state.mask);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = forward, .sa_flags = SA_RESTART};
    for (int i = 0; i < 2; i++) {
        sigaction(ignored[i], &ignore, &state.ignored[i]);
        sigaction(forwarded[i], NULL, &state.forwarded[i]);
        // Under nohup(1) SIGHUP is ignored, and shall stay so.
        if (state.forwarded[i].sa_handler != SIG_IGN) sigaction(forwarded[i], &pass, NULL);
    }
}

static void give_signals_back(void)
{
    for (int i = 0; i < 2; i++) {
        sigaction(ignored[i], &state.ignored[i], NULL);
        sigaction(forwarded[i], &state.forwarded[i], NULL);
    }
    sigprocmask(SIG_SETMASK, &state.mask, NULL);
}

// The child: exec, or the errno of it through the pipe.
static void become(char **argv, int report)
{
    give_signals_back();
    execvp(argv[0], argv);
    int cause = errno;
    if (write(report, &cause, sizeof cause) < 0) _exit(NOT_FOUND);
    _exit(cause == ENOENT ? NOT_FOUND : CANNOT_EXECUTE);
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return EXIT_FAILED;
    return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

// The errno of a failed exec; 0 once the pipe was closed by a successful one.
static int exec_error(int report)
{
    int cause = 0;
    ssize_t got;
    do got = read(report, &cause, sizeof cause);
    while (got < 0 && errno == EINTR);
    return got == sizeof cause ? cause : 0;
}

static void explain(const char *command, int cause)
{
    if (cause == ENOENT && !strchr(command, '/'))
        complain("%s: command not found; is it in a directory of PATH?", command);
    else if (cause == ENOENT)
        complain("%s: there is no such file, or its interpreter is missing", command);
    else if (cause == EACCES)
        complain("%s: cannot be executed: %s; is it a program and executable (chmod +x)?", command,
                 strerror(cause));
    else
        complain("%s: cannot be executed: %s", command, strerror(cause));
}

int run_child(char **argv, bool *started)
{
    int report[2];
    *started = false;
    if (pipe2(report, O_CLOEXEC) != 0) return complain("cannot start %s: %s", argv[0], strerror(errno));
    take_signals();
    pid_t child = fork();
    if (child == 0) become(argv, report[1]);
    int fork_error = errno;
    state.child = (sig_atomic_t)child;
    close(report[1]);
    int code = EXIT_FAILED, cause = 0;
    if (child > 0) {
        sigprocmask(SIG_SETMASK, &state.mask, NULL);
        cause = exec_error(report[0]);
        code = wait_for(child);
        // The pid may belong to somebody else now.
        for (int i = 0; i < 2; i++) sigaction(forwarded[i], &state.forwarded[i], NULL);
    }
    give_signals_back();
    close(report[0]);
    if (child < 0) return complain("cannot start %s: %s", argv[0], strerror(fork_error));
    if (cause) explain(argv[0], cause);
    *started = cause == 0;
    return code;
}
