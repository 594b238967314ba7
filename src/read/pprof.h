// SPDX-License-Identifier: Apache-2.0
// Reads pprof profiles (google/pprof proto/profile.proto), gzipped or plain, from whoever wrote them: ids may
// be sparse and unordered, mappings may be missing, repeated numbers may be packed or not, unknown fields are
// skipped.
#ifndef OTELPROF_READ_PPROF_H
#define OTELPROF_READ_PPROF_H

#include "error.h"
#include "profile.h"

// The most bytes that a profile may have, before and after decompression.
#define READ_PPROF_LIMIT ((size_t)1 << 30)

// Reads the file |path| (or a pipe). On success |*profile| is the caller's, to be given to
// read_profile_free(). Errors are a negative errno and a reason in |error| that begins with |path|:
//   what open(2) and read(2) say
//   -ENODATA  the file is empty
//   -EFBIG    more than READ_PPROF_LIMIT bytes
//   -EBADMSG  truncated, damaged, or not consistent: an id or a string that is not in its table, an id used
//   twice, a
//             sample whose values do not match the sample types, two profiles in one file
//   -ENOTSUP  a legacy gperftools or debug=1 text profile
//   -ENOMEM
int read_pprof_file(const char *path, struct read_profile **profile, struct read_error *error);

// The same for |size| bytes in memory; the reason does not name a file.
int read_pprof_bytes(const uint8_t *data, size_t size, struct read_profile **profile,
                     struct read_error *error);

#endif
