// SPDX-License-Identifier: Apache-2.0
// Where profiles lie: single files, and directories as the file sink fills them:
// <dir>/<service>/<kind>-<UTC start>-<pid>.pb.gz
#ifndef OTELPROF_READ_STORE_H
#define OTELPROF_READ_STORE_H

#include <sys/types.h>
#include <time.h>

#include "error.h"
#include "table.h"

struct read_store_file {
    char *path;
    char *kind; // "cpu", "wall", "heap" ...: the name up to the first '-' or '.'; NULL for a file that was
                // named itself
    struct timespec modified; // of a file in a directory
    off_t size;               // the same
};

// Zero it before the first use.
struct read_store {
    struct read_table
        files; // struct read_store_file, in the order given; those of a directory sorted by path
};

// Adds |source|: anything but a directory is one file (whether it can be read shows when it is); a directory
// gives its
// *.pb.gz, *.pb, *.pprof and *.pprof.gz regular files at any depth. Names that begin with '.' are the sink's
// unfinished files and are skipped. A negative errno and a reason if |source| is not there or a directory
// cannot be read.
int read_store_add(struct read_store *store, const char *source, struct read_error *error);

// Drops the files of directories that are of another kind. |kind| is not a text of the store.
void read_store_keep_kind(struct read_store *store, const char *kind);

void read_store_free(struct read_store *store);

#endif
