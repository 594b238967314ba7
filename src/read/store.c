// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // asprintf
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const endings[] = {".pb.gz", ".pb", ".pprof", ".pprof.gz"};

static int no_memory(struct read_error *error)
{
    return read_fail(error, ENOMEM, "no memory for the list of files");
}

static bool is_profile_name(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0) return true;
    }
    return false;
}

// Takes over |path| and |kind|, also on failure.
static int add_file(struct read_store *store, char *path, char *kind, const struct stat *status,
                    struct read_error *error)
{
    size_t budget = SIZE_MAX;
    struct read_store_file *file = path ? read_table_add(&store->files, sizeof *file, &budget) : NULL;
    if (!file) {
        free(path);
        free(kind);
        return no_memory(error);
    }
    *file = (struct read_store_file){.path = path, .kind = kind};
    if (status) {
        file->modified = status->st_mtim;
        file->size = status->st_size;
    }
    return 0;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_directory(struct read_store *store, const char *directory, struct read_error *error);

static int add_entry(struct read_store *store, const char *directory, const char *name,
                     struct read_error *error)
{
    char *path;
    if (asprintf(&path, "%s%s%s", directory, directory[strlen(directory) - 1] == '/' ? "" : "/", name) < 0)
        return no_memory(error);
    struct stat link, status;
    int failed = 0;
    // A link to a directory is not followed: it may lead back up. A file may vanish while we look (a
    // rotation).
    if (lstat(path, &link) == 0 && S_ISDIR(link.st_mode)) {
        failed = add_directory(store, path, error);
    } else if (is_profile_name(name) && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        char *kind = strndup(name, strcspn(name, "-."));
        if (kind) return add_file(store, path, kind, &status, error);
        failed = no_memory(error);
    }
    free(path);
    return failed;
}

static int add_directory(struct read_store *store, const char *directory, struct read_error *error)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, visible, by_bytes), failed = 0;
    if (count < 0)
        return read_fail(error, errno, "%s: cannot list the directory: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!failed) failed = add_entry(store, directory, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return failed;
}

int read_store_add(struct read_store *store, const char *source, struct read_error *error)
{
    struct stat status;
    if (stat(source, &status) != 0)
        return read_fail(error, errno, "%s: no profile there: %s", source, strerror(errno));
    if (S_ISDIR(status.st_mode)) return add_directory(store, source, error);
    return add_file(store, strdup(source), NULL, NULL, error);
}

static void free_file(struct read_store_file *file)
{
    free(file->path);
    free(file->kind);
}

void read_store_keep_kind(struct read_store *store, const char *kind)
{
    struct read_store_file *files = store->files.rows;
    size_t kept = 0;
    for (size_t i = 0; i < store->files.count; i++) {
        if (!files[i].kind || strcmp(files[i].kind, kind) == 0)
            files[kept++] = files[i];
        else
            free_file(&files[i]);
    }
    store->files.count = kept;
}

void read_store_free(struct read_store *store)
{
    struct read_store_file *files = store->files.rows;
    for (size_t i = 0; i < store->files.count; i++) free_file(&files[i]);
    read_table_free(&store->files);
}
