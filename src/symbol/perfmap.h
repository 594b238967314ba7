/*
 * /tmp/perf-PID.map: the names that a JIT compiler (V8 --perf-basic-prof, CPython -X perf, the JVM's agents,
 * ...) writes for the code it makes. A line is "ADDRESS SIZE NAME", both numbers hexadecimal, with or without
 * 0x (linux/tools/perf/Documentation/jit-interface.txt); a later line wins over the lines that it overlaps.
 *
 * Only new bytes are read. In memory is a range of 32 bytes a line; names are read back from the file. No
 * descriptor stays open between two calls. Background thread; not async-signal-safe.
 *
 * The file is trusted only if it is a regular file (no symbolic link) that belongs to our effective user, and
 * was written to since this process began: a map of an earlier process with the same pid is common where
 * every container's main process is pid 1.
 */
#ifndef OTELPROF_SYMBOL_PERFMAP_H
#define OTELPROF_SYMBOL_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#define PERFMAP_NAME_MAX 2048
#define PERFMAP_RANGE_MAX 1048576

struct perfmap;

struct perfmap_symbol {
    uintptr_t start;
    size_t size;
    size_t name_len;             /* 0: the line has no name */
    char name[PERFMAP_NAME_MAX]; /* terminated; longer names are cut, between two UTF-8 characters */
};

struct perfmap_stats {
    uint64_t lines;   /* taken */
    uint64_t skipped; /* not of the form above */
    uint64_t dropped; /* beyond PERFMAP_RANGE_MAX, or out of memory */
    size_t ranges;    /* in the map now */
    size_t bytes;     /* of memory */
};

/* The map of process |pid|, which began at |process_start_realtime| (Unix time in nanoseconds). Touches no
 * file; NULL when out of memory. Released with perfmap_close. */
struct perfmap *perfmap_open(int pid, int64_t process_start_realtime);

/* The same with another file name, which is copied. */
struct perfmap *perfmap_open_path(const char *path, int64_t process_start_realtime);

/*
 * Reads what was added to the file since the last call, 16 MiB at most (the rest comes with the next calls).
 * A half last line waits. A file that was truncated or replaced is read from its beginning, and what it said
 * before is forgotten. Returns the number of lines taken, or why there is no map: -ENOENT, -ELOOP (a link),
 * -EPERM (not ours, or not a regular file), -ESTALE (older than the process) or another negative errno; the
 * reason is logged once, at debug.
 */
int perfmap_update(struct perfmap *map);

/* 1 and the newest code that contains |pc|; 0 if none is known, or if the file changed under us (the next
 * update starts it over). */
int perfmap_lookup(struct perfmap *map, uintptr_t pc, struct perfmap_symbol *out);

void perfmap_stats(const struct perfmap *map, struct perfmap_stats *stats);

void perfmap_close(struct perfmap *map);

#endif
