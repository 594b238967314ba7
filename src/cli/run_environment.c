// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // asprintf
#include "run_environment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"

static const char exporter[] = "OTEL_PROFILES_EXPORTER";
static const char directory[] = "OTEL_PROFILING_FILE_DIR";
static const char include[] = "OTEL_PROFILING_INCLUDE";
static const char in_tests[] = "OTEL_PROFILING_IN_TESTS";
static const char interval[] = "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS";
static const char default_directory[] = "otelprof-profiles";

// The value of the variable; NULL if it is empty, which in OpenTelemetry means unset.
static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

// Whether the list |value|, split at |separators|, has the word.
static bool has_word(const char *value, const char *separators, const char *word)
{
    size_t length = strlen(word);
    while (value && *value) {
        size_t size = strcspn(value, separators);
        if (size == length && memcmp(value, word, size) == 0) return true;
        value += size;
        value += strspn(value, separators);
    }
    return false;
}

// Appends |word| to the list in the variable unless it is there.
static int append(const char *name, const char *separators, const char *word)
{
    const char *value = value_of(name);
    if (has_word(value, separators, word)) return 0;
    char *list;
    if (asprintf(&list, "%s%.1s%s", value ? value : "", value ? separators : "", word) < 0) return -1;
    int failed = setenv(name, list, 1);
    free(list);
    return failed;
}

static int set_directory(const char *chosen)
{
    if (!chosen && value_of(directory)) return 0;
    if (!chosen) chosen = default_directory;
    if (*chosen == '/') return setenv(directory, chosen, 1);
    char *here = getcwd(NULL, 0), *absolute;
    if (!here) {
        complain("cannot tell the current directory: %s; give --dir an absolute path", strerror(errno));
        return -1;
    }
    int made = asprintf(&absolute, "%s/%s", strcmp(here, "/") == 0 ? "" : here, chosen);
    free(here);
    if (made < 0) return -1;
    int failed = setenv(directory, absolute, 1);
    free(absolute);
    return failed;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The file that execvp(3) will find for |command|, all links resolved, to be freed; NULL if none.
static char *resolve(const char *command)
{
    if (strchr(command, '/')) return realpath(command, NULL);
    const char *path = value_of("PATH");
    while (path) {
        size_t size = strcspn(path, ":");
        char *candidate;
        if (asprintf(&candidate, "%.*s/%s", (int)size, size ? path : ".", command) < 0) return NULL;
        char *resolved = access(candidate, X_OK) == 0 ? realpath(candidate, NULL) : NULL;
        free(candidate);
        if (resolved) return resolved;
        path = path[size] ? path + size + 1 : NULL;
    }
    return NULL;
}

// The library compares with the name of the program's file, which is not the command's where that is a link:
// python3 runs python3.11. So both names go in.
static int include_command(const char *command)
{
    int failed = append(include, ",", base_name(command));
    char *file = resolve(command);
    if (file && !failed) failed = append(include, ",", base_name(file));
    free(file);
    return failed;
}

int run_environment_set(const struct run_settings *settings)
{
    if (append("LD_PRELOAD", " :", settings->library) != 0) return -1;
    if (!value_of(exporter) && setenv(exporter, "file", 1) != 0) return -1;
    if (!value_of(in_tests) && setenv(in_tests, "true", 1) != 0) return -1;
    if (set_directory(settings->directory) != 0) return -1;
    if (settings->interval && setenv(interval, settings->interval, 1) != 0) return -1;
    return include_command(settings->command);
}

bool run_environment_writes_files(void)
{
    return has_word(value_of(exporter), ", \t", "file");
}

const char *run_environment_directory(void)
{
    return value_of(directory);
}
