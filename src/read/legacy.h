// SPDX-License-Identifier: Apache-2.0
// Recognises what is called "a pprof file" and is not profile.proto: gperftools' formats and Go's debug=1
// text.
#ifndef OTELPROF_READ_LEGACY_H
#define OTELPROF_READ_LEGACY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// 0 if |data| is in none of the legacy formats, else -ENOTSUP with a reason that says how to convert it.
// Source of the formats: gperftools docs/cpuprofile-fileformat.html and docs/heapprofile.html.
int read_legacy_refuse(const uint8_t *data, size_t size, struct read_error *error);

#endif
