// SPDX-License-Identifier: Apache-2.0
// The commands of `otelprof`. Each gets the arguments from its own name on and returns the exit code of the
// process.
#ifndef OTELPROF_CLI_COMMAND_H
#define OTELPROF_CLI_COMMAND_H

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,     // a wrong argument, a file that cannot be read
    EXIT_NO_SAMPLES = 2, // everything could be read, and there is nothing in it
};

struct command {
    const char *name;
    const char *summary; // one line for `otelprof --help`
    const char *help;    // what `otelprof help NAME` prints
    int (*main)(int argc, char **argv);
};

extern const struct command command_run;
extern const struct command command_top;

#endif
