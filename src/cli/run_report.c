// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // stpcpy
#include "run_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

#define LISTED 5

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct read_store_file *)a)->path, ((const struct read_store_file *)b)->path);
}

struct read_store run_report_look(const char *directory)
{
    struct read_store store = {0};
    struct read_error error;
    // An error is no news here: before the first run there is no directory.
    if (read_store_add(&store, directory, &error) != 0) read_store_free(&store);
    if (store.files.count)
        qsort(store.files.rows, store.files.count, sizeof(struct read_store_file), by_path);
    return store;
}

static bool is_new(const struct read_store_file *file, const struct read_store *before)
{
    const struct read_store_file *old = NULL;
    if (before->files.count)
        old = bsearch(file, before->files.rows, before->files.count, sizeof *file, by_path);
    return !old || old->size != file->size || old->modified.tv_sec != file->modified.tv_sec ||
           old->modified.tv_nsec != file->modified.tv_nsec;
}

// |path| as it can be typed into a shell.
static void print_next(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%=";
    if (path[strspn(path, plain)] == 0) {
        complain("next: otelprof top %s", path);
        return;
    }
    char *quoted = malloc(strlen(path) * 4 + 1), *at = quoted;
    if (!quoted) return;
    for (; *path; path++) at = *path == '\'' ? stpcpy(at, "'\\''") : (*at = *path, at + 1);
    *at = 0;
    complain("next: otelprof top '%s'", quoted);
    free(quoted);
}

void run_report_print(const char *directory, const struct read_store *before)
{
    struct read_store after = run_report_look(directory);
    const struct read_store_file *files = after.files.rows;
    size_t written = 0;
    for (size_t i = 0; i < after.files.count; i++) written += is_new(&files[i], before);
    if (written == 0) {
        complain(
            "no profile was written to %s: the command may have been too short, be statically linked or "
            "setuid, or "
            "the library stood down in it; run it again with OTEL_PROFILING_LOG_LEVEL=debug to see which",
            directory);
        read_store_free(&after);
        return;
    }
    complain("%zu profile%s written to %s", written, written == 1 ? "" : "s", directory);
    size_t listed = 0;
    for (size_t i = 0; i < after.files.count && listed < LISTED; i++)
        if (is_new(&files[i], before)) {
            complain("  %s", files[i].path);
            listed++;
        }
    if (written > listed) complain("  and %zu more", written - listed);
    print_next(directory);
    read_store_free(&after);
}
