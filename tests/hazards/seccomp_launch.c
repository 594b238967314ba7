/* seccomp_launch ERRNO NUMBER[,NUMBER...] PROGRAM ARGUMENT...: runs the program where these system calls fail
 * with ERRNO. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST = 64 };

int main(int argc, char **argv)
{
    struct sock_filter filter[2 * MOST + 2];
    unsigned short n = 0;
    if (argc < 4) return 2;
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr));
    for (char *number = strtok(argv[2], ","); number && n < 2 * MOST; number = strtok(NULL, ",")) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(number), 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(
            BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)atoi(argv[1]) & SECCOMP_RET_DATA));
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("seccomp");
        return 2;
    }
    execv(argv[3], argv + 3);
    perror(argv[3]);
    return 2;
}
