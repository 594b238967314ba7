/* The small part of a pprof message, by nanopb: all of Profile but its four large tables. For pprof.c. */
#ifndef OTELPROF_ENCODE_PPROF_HEADER_H
#define OTELPROF_ENCODE_PPROF_HEADER_H

#include "encode/buffer.h"
#include "profile/profile.h"

/* Appends sample_type, mapping, time, duration, period, comment and default_sample_type: 0 or -ENOMEM. */
int pprof_header_encode(const struct profile *profile, struct encode_buffer *out);

#endif
