/*
 * The configuration file: a NAME=value a line with the names of the environment, for hosts where no
 * environment can be set (ld.so.preload). '#' begins a comment line; blanks around names and values do not
 * count, nor does a pair of quotes around a value. The environment wins. A line that cannot be taken is
 * remembered for one message, and the rest counts.
 *
 * Runs in the constructor: no heap, three system calls, one when there is no file. Not in signal handlers.
 */
#ifndef OTELPROF_CONFIG_SETTINGS_FILE_H
#define OTELPROF_CONFIG_SETTINGS_FILE_H

#include <stddef.h>

#define SETTINGS_FILE_DEFAULT "/etc/otelprof/otelprof.conf"

enum { SETTINGS_MAX = 128, SETTINGS_BYTES = 16 * 1024, SETTINGS_PROBLEM_BYTES = 512 };

struct settings_file {
    const char *path;                /* NULL: none was looked for */
    char *entries[SETTINGS_MAX + 1]; /* "NAME=value" as in an environment, NULL at the end */
    unsigned lines[SETTINGS_MAX];    /* where each stands, from 1 */
    size_t count;
    unsigned problem_count;
    char problem[SETTINGS_PROBLEM_BYTES]; /* the first: file, line, cause and remedy */
};

/*
 * Reads |path|; NULL is SETTINGS_FILE_DEFAULT, which may be missing. |path| must outlive |file|. The text
 * lives in static memory until the next call. What is wrong with the file or its lines is in |file|.
 */
void settings_file_read(struct settings_file *file, const char *path);

/* The same for the |len| bytes at |text|, which are changed; |text[len]| must be writable. */
void settings_file_parse(struct settings_file *file, char *text, size_t len);

/* Adds a problem: "|path|, line |line|: |what|"; |line| 0 is the file as a whole. The first is kept. */
void settings_file_complain(struct settings_file *file, unsigned line, const char *what);

/* Logs the one error of a file with problems; nothing otherwise. */
void settings_file_report(const struct settings_file *file);

#endif
