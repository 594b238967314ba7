// SPDX-License-Identifier: Apache-2.0
// The reason why reading failed, in words for the person who typed the command.
#ifndef OTELPROF_READ_ERROR_H
#define OTELPROF_READ_ERROR_H

// One line without a newline: the thing, the cause, the remedy. It may quote bytes of a damaged file, so it
// is escaped before it reaches a terminal (src/cli/printable.h).
struct read_error {
    char text[1024];
};

// Writes the formatted reason to |error| (cut at its size) and returns -|code|, a negative errno, so that a
// caller can write `return read_fail(...)`. |error| may hold an argument of the format (a reason is often
// wrapped in a longer one).
int read_fail(struct read_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
