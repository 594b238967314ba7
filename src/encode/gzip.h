/* gzip (RFC 1952) by zlib, with our own memory. */
#ifndef OTELPROF_ENCODE_GZIP_H
#define OTELPROF_ENCODE_GZIP_H

#include "encode/buffer.h"

/* zlib's level for profiles: 6 and 9 take 2.5 and 15 times as long for 4 % (measured, 2.3 MB: 22.5 % at level
 * 1, 21.5 % at 6 and 9). */
enum { GZIP_LEVEL = 1 };

/*
 * Appends |data| (|size| bytes) as one gzip member to |out|: 0, -ENOMEM, or -EINVAL for a level outside 1 to
 * 9; |out| as it was on errors. Takes 268 KiB while it works. Background thread; not in signal handlers.
 */
int gzip_compress(const void *data, size_t size, int level, struct encode_buffer *out);

#endif
