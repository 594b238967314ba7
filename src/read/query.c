// SPDX-License-Identifier: Apache-2.0
#include "query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"
#include "store.h"
#include "value_type.h"

// The place of a kind in the order in which kinds are tried: where the time goes is what one asks first.
static int rank(const char *kind)
{
    return strcmp(kind, "cpu") == 0 ? 0 : strcmp(kind, "wall") == 0 ? 1 : 2;
}

static int compare_kinds(const char *a, const char *b)
{
    return rank(a) != rank(b) ? rank(a) - rank(b) : strcmp(a, b);
}

// The first file of the kind that is tried after |kind| (NULL: of the first kind); NULL after the last.
static const struct read_store_file *next_kind(const struct read_store *store, const char *kind)
{
    const struct read_store_file *files = store->files.rows, *best = NULL;
    for (size_t i = 0; i < store->files.count; i++)
        if (files[i].kind && (!kind || compare_kinds(files[i].kind, kind) > 0) &&
            (!best || compare_kinds(files[i].kind, best->kind) < 0))
            best = &files[i];
    return best;
}

// Sets |*has| to whether the profile in |file| has the type |wanted|; any has if |wanted| is NULL.
static int has_type(const struct read_store_file *file, const char *wanted, bool *has,
                    struct read_error *error)
{
    *has = true;
    if (!wanted) return 0;
    struct read_profile *profile;
    int failed = read_pprof_file(file->path, &profile, error);
    if (failed) return failed;
    *has = read_value_type_find(profile, wanted) >= 0;
    read_profile_free(profile);
    return 0;
}

// Narrows the directories' files to the first kind whose first file has the type |wanted|. If none has, all
// stay, and adding them says which file lacks it.
static int keep_one_kind(struct read_store *store, const char *wanted, struct read_error *error)
{
    bool has = false;
    const struct read_store_file *file = next_kind(store, NULL);
    while (file) {
        int failed = has_type(file, wanted, &has, error);
        if (failed) return failed;
        if (has) break;
        file = next_kind(store, file->kind);
    }
    if (!file) return 0;
    char *kind = strdup(file->kind);
    if (!kind) return read_fail(error, ENOMEM, "no memory");
    read_store_keep_kind(store, kind);
    free(kind);
    return 0;
}

static int add_file(struct read_top *top, const char *path, const char *wanted, struct read_error *error)
{
    struct read_profile *profile;
    int failed = read_pprof_file(path, &profile, error);
    if (failed) return failed;
    failed = read_top_add(top, profile, path, wanted, error);
    read_profile_free(profile);
    return failed;
}

int read_query_top(char *const *sources, size_t count, const char *wanted, struct read_top *top,
                   struct read_error *error)
{
    struct read_store store = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++) failed = read_store_add(&store, sources[i], error);
    if (!failed) failed = keep_one_kind(&store, wanted, error);
    const struct read_store_file *files = store.files.rows;
    for (size_t i = 0; !failed && i < store.files.count; i++)
        failed = add_file(top, files[i].path, wanted, error);
    read_store_free(&store);
    if (!failed) read_top_sort(top);
    return failed;
}
