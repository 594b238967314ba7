/* A vfork child, which runs in its parent's memory, resets every signal as spawners do, then ends; the parent
 * works on. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static __attribute__((noipa)) void before_vfork(int64_t nanos)
{
    for (int64_t end = thread_cpu() + nanos; thread_cpu() < end;) spin();
}

static __attribute__((noipa)) void after_vfork(int64_t nanos)
{
    for (int64_t end = thread_cpu() + nanos; thread_cpu() < end;) spin();
}

int main(void)
{
    before_vfork(300 * MILLIS);
    pid_t child = vfork();
    if (!child) {
        for (int n = 1; n < 65; n++)
            if (n != SIGKILL && n != SIGSTOP) signal(n, SIG_DFL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    after_vfork(900 * MILLIS);
    return 0;
}
