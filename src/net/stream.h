/*
 * A connection to an endpoint, with a deadline over all that is done with it. Background thread. Negative
 * errno on errors; -ETIMEDOUT when the deadline has passed.
 */
#ifndef OTELPROF_NET_STREAM_H
#define OTELPROF_NET_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "net/url.h"

struct stream {
    int fd;
    int64_t deadline; /* clock_monotonic; INT64_MAX: none */
};

/* Finds the host's addresses and connects to the first that takes us. 0, or the last negative errno; -ENOENT
 * and -EAGAIN are resolve()'s. |stream| is closed then. */
int stream_open(struct stream *stream, const struct url *url, int64_t deadline);

/* Reads what there is, at least a byte: how many, 0 at the end. */
int64_t stream_read(struct stream *stream, void *buffer, size_t size);

/* Writes all |size| bytes: 0. */
int stream_write(struct stream *stream, const void *data, size_t size);

void stream_close(struct stream *stream);

#endif
