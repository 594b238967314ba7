// SPDX-License-Identifier: Apache-2.0
// The environment in which `otelprof run` starts its command.
#ifndef OTELPROF_CLI_RUN_ENVIRONMENT_H
#define OTELPROF_CLI_RUN_ENVIRONMENT_H

#include <stdbool.h>

struct run_settings {
    const char *directory; // of --dir, or NULL
    const char *interval;  // of --interval in microseconds, or NULL
    const char *command;   // argv[0] of the command
    const char *library;
};

// Sets in this process's environment what the command shall inherit: LD_PRELOAD (after what is there
// already), the file exporter and its directory unless the user has chosen others, OTEL_PROFILING_IN_TESTS,
// and the command's name in OTEL_PROFILING_INCLUDE, without which the library profiles node only. An option
// given on the command line wins over the environment. 0, or -1 without memory or without a current
// directory, after telling the user.
int run_environment_set(const struct run_settings *settings);

// Whether the profiles will go to files at all, as the environment stands.
bool run_environment_writes_files(void);

// The directory they go to.
const char *run_environment_directory(void);

#endif
