// SPDX-License-Identifier: Apache-2.0
// Starts a command and waits for it as a shell would.
#ifndef OTELPROF_CLI_RUN_CHILD_H
#define OTELPROF_CLI_RUN_CHILD_H

#include <stdbool.h>

// Runs |argv| (ended by NULL) with the environment, the standard streams and the signal dispositions of this
// process. Meanwhile SIGINT and SIGQUIT, which the terminal sends to both, are ignored here, and SIGTERM and
// SIGHUP are passed on. Returns what a shell would: the exit code, 128 + n after death by signal n, 127 if
// the command is not found, 126 if it cannot be executed (the last two after telling the user, with
// |*started| false).
int run_child(char **argv, bool *started);

#endif
