// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // asprintf
#include "run_library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"

static const char *const places[] = {"libotelprof.so", "../lib/libotelprof.so"};

// The directory of this program's file, without the last '/'; "" in case of doubt.
static void own_directory(char directory[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
    directory[length > 0 ? length : 0] = 0;
    char *slash = strrchr(directory, '/');
    if (slash) *slash = 0;
}

static char *beside_program(void)
{
    char directory[PATH_MAX];
    own_directory(directory);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *candidate;
        if (asprintf(&candidate, "%s/%s", directory, places[i]) < 0) return NULL;
        char *path = realpath(candidate, NULL);
        free(candidate);
        if (path) return path;
    }
    complain("libotelprof.so is neither in %s nor in %s/../lib; set OTELPROF_LIBRARY to its path", directory,
             directory);
    return NULL;
}

char *run_library_find(void)
{
    const char *named = getenv("OTELPROF_LIBRARY");
    char *path;
    if (named && *named) {
        path = realpath(named, NULL);
        if (!path) complain("OTELPROF_LIBRARY names %s: %s; correct it or unset it", named, strerror(errno));
    } else {
        path = beside_program();
    }
    // ld.so(8) splits LD_PRELOAD at blanks and colons and knows no way to quote them.
    if (path && strpbrk(path, " \t\n:")) {
        complain("%s cannot be preloaded: its path contains a blank or a colon, at which LD_PRELOAD is "
                 "split; copy the "
                 "library to a path without, and set OTELPROF_LIBRARY to that",
                 path);
        free(path);
        return NULL;
    }
    return path;
}
