/*
 * code_in_memory MAP: runs code in an anonymous mapping and tells its name in /tmp/perf-PID.map as
 * just-in-time compilers do. MAP = own: a proper map; other: it belongs to another user; symlink: it is a
 * link to a proper one; stale: it is older than the process; none.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

enum { CODE_BYTES = 4096, NOBODY = 65534 };

/* push rbp; mov rbp, rsp; 1: dec rdi; jnz 1b; pop rbp; ret */
static const unsigned char machine_code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
                                             0xcf, 0x75, 0xfb, 0x5d, 0xc3};

static char path[64], target[64];

static void write_map(const char *file, const void *code)
{
    FILE *map = fopen(file, "w");
    fprintf(map, "%lx %zx jit loop_with spaces\n", (unsigned long)code, sizeof machine_code);
    fclose(map);
}

static void make_map(const char *how, const void *code)
{
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    snprintf(target, sizeof target, "/tmp/otelprof-test-%d.map", getpid());
    unlink(path);
    if (!strcmp(how, "symlink")) {
        write_map(target, code);
        if (symlink(target, path)) exit(3);
    } else if (strcmp(how, "none")) {
        write_map(path, code);
    }
    if (!strcmp(how, "other") && chown(path, NOBODY, NOBODY)) exit(3);
    struct timespec hour_ago[2] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};
    if (!strcmp(how, "stale") && utimensat(AT_FDCWD, path, hour_ago, 0)) exit(3);
}

static __attribute__((noipa)) int64_t jit_caller(void (*code)(long))
{
    int64_t start = thread_cpu();
    while (thread_cpu() - start < 1500 * MILLIS) code(100000);
    return thread_cpu() - start;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    void *code =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, machine_code, sizeof machine_code);
    make_map(argv[1], code);
    int64_t used = jit_caller((void (*)(long))code);
    printf("pid %d\ncode %lld\n", getpid(), (long long)used);
    print_used(begin);
    return argc - 2;
}
