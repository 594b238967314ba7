/*
 * Preloaded into Debian's Node, which is not installed but unpacked in a directory (DEBIAN_NODE_ROOT): its
 * library has the path of its JavaScript, /usr/share/nodejs, built in, and reads it by libuv's open64().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int open64(const char *path, int flags, ...)
{
    static const char built_in[] = "/usr/share/nodejs/";
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    char moved[4096];
    const char *root = getenv("DEBIAN_NODE_ROOT");
    if (root && strncmp(path, built_in, sizeof built_in - 1) == 0) {
        snprintf(moved, sizeof moved, "%s%s", root, path);
        path = moved;
    }
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    return next(path, flags, mode);
}
