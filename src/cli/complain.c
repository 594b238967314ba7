// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // vasprintf
#include "complain.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "printable.h"

static void print(const char *format, va_list arguments, const char *end)
{
    char *line, *escaped = NULL;
    if (vasprintf(&line, format, arguments) < 0) return;
    escaped = printable_text(line, strlen(line), NULL);
    fprintf(stderr, "otelprof: %s%s\n", escaped, end);
    free(escaped);
    free(line);
}

int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments, "");
    va_end(arguments);
    return EXIT_FAILED;
}

int complain_usage(const char *command, const char *format, ...)
{
    char end[64];
    snprintf(end, sizeof end, "; see otelprof%s%s --help", *command ? " " : "", command);
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments, end);
    va_end(arguments);
    return EXIT_FAILED;
}

int complain_option(const char *command, int result, char **argv)
{
    // A long option has been consumed as a whole; of a short one only optopt is sure.
    const char *given = argv[optind - 1];
    bool is_long = strncmp(given, "--", 2) == 0;
    if (result == ':') return complain_usage(command, "%s needs a value", given);
    if (optopt && !is_long) return complain_usage(command, "unknown option -%c", optopt);
    if (optopt) return complain_usage(command, "%.*s takes no value", (int)strcspn(given, "="), given);
    return complain_usage(command, "unknown option %s", given);
}
