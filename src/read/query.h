// SPDX-License-Identifier: Apache-2.0
// From what the user names on the command line to one result.
#ifndef OTELPROF_READ_QUERY_H
#define OTELPROF_READ_QUERY_H

#include <stddef.h>

#include "top.h"

// Reads the |count| |sources| (files and directories, see store.h) and adds them up in |top|, sorted.
// |wanted| is the sample type or NULL for the default. Of directories one kind is read: the first that has
// |wanted| (any kind has if it is NULL) in the order cpu, wall, then the others by name. 0 with
// top->file_count 0 means that the directories hold no profile. A negative errno and a reason if any source
// cannot be read: a result with a part missing would look like the truth.
int read_query_top(char *const *sources, size_t count, const char *wanted, struct read_top *top,
                   struct read_error *error);

#endif
