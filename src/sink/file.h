/*
 * The file sink: every profile as <directory>/<service>/<kind>-<start>-<pid>.pb.gz, gzipped pprof that `go
 * tool pprof`, `otelprof` and Pyroscope's adhoc view open as it is. Files appear complete or not at all: they
 * are written under another name (".tmp-...") in the same directory and renamed.
 */
#ifndef OTELPROF_SINK_FILE_H
#define OTELPROF_SINK_FILE_H

#include <stdint.h>

struct export_window;

struct sink_file {
    char *directory;     /* absolute, owned */
    int64_t quiet_until; /* CLOCK_MONOTONIC nanoseconds: no complaint before */
    unsigned long lost;  /* profiles, since the last complaint */
};

/* Takes |directory|, relative to the working directory of now; it is made when the first file is written. 0
 * or -ENOMEM. */
int sink_file_open(struct sink_file *file, const char *directory);

/*
 * Writes each profile of |window| that has samples; one failure does not keep the others. 0 or the first
 * negative errno; it is logged with path, cause and remedy, once a minute at most. Mode 0644, directories
 * 0777, less the umask.
 */
int sink_file_write(struct sink_file *file, const struct export_window *window);

void sink_file_close(struct sink_file *file);

#endif
