/*
 * The parsers of single values, apart from where the text comes from. Blanks around a value do not count.
 * Pure; any thread.
 */
#ifndef OTELPROF_CONFIG_VALUES_H
#define OTELPROF_CONFIG_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* 1 for "true", 0 for "false", any case of letters; -EINVAL for all else ("1" and "yes" too, as the
 * OpenTelemetry specification wants it). */
int value_boolean(const char *text);

/* A whole decimal number >= 0 without sign: 0, -EINVAL for other text, -ERANGE when it exceeds int64_t. */
int value_number(const char *text, size_t len, int64_t *number);

/* A word and what it stands for; a table ends with a NULL word. */
struct value_word {
    const char *word;
    int value;
};

/* The entry of |words| that is |text| (|len| bytes), any case of letters, or NULL. */
const struct value_word *value_find_word(const struct value_word *words, const char *text, size_t len);

/*
 * A signal: a number 1 to 64, or a name with or without "SIG": PROF, USR1 ... or RTMIN+n with RTMIN = 34, as
 * in glibc and `kill -l` (the kernel's 32 and 33 are glibc's own). Returns the kernel's number, -EINVAL when
 * it is none, or -EPERM when it is one that no sampler can use: KILL and STOP cannot be caught, ILL, FPE, BUS
 * and SEGV report faults, and 32 to 34 belong to glibc and musl (musl: SIGTIMER, SIGCANCEL, SIGSYNCCALL).
 */
int value_signal(const char *text, size_t len);

/*
 * The next item of a comma-separated list, blanks around it not counted, empty items skipped: its start, with
 * |*len| > 0, or NULL at the end. |*at| is the place to go on from; start with the list's text.
 */
const char *value_next_item(const char **at, size_t *len);

/* Takes blanks off both ends of the |*len| bytes at |text|; returns the new start. */
const char *value_trim(const char *text, size_t *len);

/* Copies |text| (|len| bytes) to |out| for a message: control characters and what is not UTF-8 become '?',
 * and text longer than |size| allows ends in "...". |size| >= 8. */
void value_for_message(const char *text, size_t len, char *out, size_t size);

#endif
