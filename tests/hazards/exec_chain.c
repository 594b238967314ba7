/* exec_chain COUNT: blocks all signals, burns until a tick must be pending, executes itself COUNT times; the
 * last one unblocks all signals. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

int main(int argc, char **argv)
{
    int left = atoi(argv[1]);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);
    burn(15 * MILLIS);
    if (left) {
        char number[16];
        snprintf(number, sizeof number, "%d", left - 1);
        execl("/proc/self/exe", argv[0], number, (char *)NULL);
        return 9;
    }
    sigprocmask(SIG_SETMASK, &none, NULL);
    burn(30 * MILLIS);
    printf("done\n");
    return argc - 2;
}
