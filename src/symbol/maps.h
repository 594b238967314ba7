/*
 * /proc/self/maps, line by line (Linux Documentation/filesystems/proc.rst). Background thread; not
 * async-signal-safe.
 */
#ifndef OTELPROF_SYMBOL_MAPS_H
#define OTELPROF_SYMBOL_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct maps_line {
    uintptr_t start, limit;
    uint64_t offset; /* in the file, bytes */
    uint64_t device; /* as makedev() */
    uint64_t inode;  /* 0: not a file */
    int readable, writable, executable;
    const char *path; /* into the text, not terminated; the suffix " (deleted)" is cut off */
    size_t path_len;
    const char *text; /* the whole line */
    size_t text_len;
};

/* The text, which the caller frees with heap_free: its length, or a negative errno (-EFBIG over 64 MiB). */
int64_t maps_read(char **text);

/* The next good line at or behind |at|, and where to go on; NULL when there is none left. |at| is terminated.
 */
const char *maps_next(const char *at, struct maps_line *line);

#endif
