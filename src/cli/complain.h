// SPDX-License-Identifier: Apache-2.0
// What otelprof says on stderr. Messages quote paths and bytes of damaged files, so all are escaped
// (printable.h).
#ifndef OTELPROF_CLI_COMPLAIN_H
#define OTELPROF_CLI_COMPLAIN_H

// Prints "otelprof: " and the formatted line. Returns 1 (EXIT_FAILED), so that a command can end with it.
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same for a wrong use of |command| ("" for otelprof itself), with a pointer to its help after it.
int complain_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What is wrong with the option that getopt_long() just refused by returning |result| ('?' or ':'); |argv| as
// it was given to it.
int complain_option(const char *command, int result, char **argv);

#endif
