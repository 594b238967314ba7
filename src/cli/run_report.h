// SPDX-License-Identifier: Apache-2.0
// Which profiles a run wrote: a look at the directory before, one after.
#ifndef OTELPROF_CLI_RUN_REPORT_H
#define OTELPROF_CLI_RUN_REPORT_H

#include "read/store.h"

// What lies in |directory| now; a directory that is not there is empty. To be freed with read_store_free().
struct read_store run_report_look(const char *directory);

// Tells on stderr which files are in |directory| that were not in |before| (or have changed), and how to go
// on; or that there is none, and why that may be.
void run_report_print(const char *directory, const struct read_store *before);

#endif
