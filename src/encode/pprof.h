/*
 * A profile as pprof: perftools.profiles.Profile of proto/pprof.proto, not compressed (gzip.h does that).
 *
 * What readers rely on (facts: google/pprof proto/profile.proto and profile/profile.go; Parca pkg/normalizer/
 * validate.go): string_table[0] is "", ids of mappings, locations and functions run 1, 2, 3 ..., the first
 * mapping is the main binary, default_sample_type is the last value type, no label without a key, and
 * has_functions, has_filenames and has_line_numbers are set only for a mapping all of whose locations have
 * them, for then readers do not symbolize again (and Pyroscope forgets the addresses).
 */
#ifndef OTELPROF_ENCODE_PPROF_H
#define OTELPROF_ENCODE_PPROF_H

#include "encode/buffer.h"
#include "profile/profile.h"

/* Appends |profile|, sealed beforehand so that it has no orphans, to |out|: 0, or -ENOMEM with |out| as it
 * was. Any one thread; not in signal handlers. */
int pprof_encode(const struct profile *profile, struct encode_buffer *out);

#endif
