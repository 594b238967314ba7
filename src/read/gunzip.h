// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) into memory, bounded.
#ifndef OTELPROF_READ_GUNZIP_H
#define OTELPROF_READ_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// Whether |data| begins with the two magic bytes of gzip.
bool read_is_gzip(const uint8_t *data, size_t size);

// Inflates the gzip members in |data| (|size| bytes, at most UINT_MAX) one after the other. On success |*out|
// is a malloc'ed buffer of |*out_size| bytes that the caller frees. Errors, with the reason in |error|:
//   -EBADMSG  truncated, wrong checksum or length, damaged, or bytes after the last member
//   -EFBIG    more than |limit| bytes would come out (a decompression bomb)
//   -ENOMEM
int read_gunzip(const uint8_t *data, size_t size, size_t limit, uint8_t **out, size_t *out_size,
                struct read_error *error);

#endif
