/* Every way to look at the environment. Built without -fPIE, so that |environ| is copied into the program and
 * libraries that have their own see another one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static void print(const char *what, char *const *list)
{
    for (; *list; list++) printf("%s %s\n", what, *list);
}

int main(int argc, char **argv, char **third)
{
    print("third", third);
    print("environ", environ);
    setenv("B", "from the program", 1);
    putenv("C=put");
    unsetenv("A");
    print("changed", environ);
    printf("get %s %s %s\n", getenv("A") ? "A" : "-", getenv("B"), getenv("C"));
    fflush(stdout);
    if (system("/usr/bin/env") != 0) return 1;
    clearenv();
    printf("cleared %d\n", environ && *environ);
    fflush(stdout);
    if (argc == 1) execl("/usr/bin/env", "env", (char *)NULL);
    return 2;
}
