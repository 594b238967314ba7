/*
 * A profile as text for people: what OTEL_PROFILING_CONSOLE_VERBOSITY asks for. Lines end in a newline, are
 * at most CONSOLE_LINE_MAX bytes long, hold no control characters whatever the names in the profile are, and
 * begin like log lines: "otelprof[PID]: ".
 *
 *   basic     otelprof[7]: cpu: 412 stacks, samples 998, cpu 9.98 s in 10.00 s, dropped memory=2
 *   normal    + the tables' sizes and the period; and the resource, once a window
 *   detailed  + the functions in which the most of the last value type was spent
 *
 * Any one thread; not in signal handlers. All functions: 0 or -ENOMEM.
 */
#ifndef OTELPROF_ENCODE_CONSOLE_H
#define OTELPROF_ENCODE_CONSOLE_H

#include "config/resource.h"
#include "encode/buffer.h"
#include "profile/profile.h"

enum { CONSOLE_LINE_MAX = 1024, CONSOLE_AMOUNT_MAX = 48, CONSOLE_NAME_MAX = 256 };

/* The attributes of |resource|, as many as fit on a line: "otelprof[7]: resource: service.name=shop ...". */
int console_encode_resource(const struct resource *resource, int pid, struct encode_buffer *out);

/* The line of a profile that every verbosity has. */
int console_encode_summary(const struct profile *profile, int pid, struct encode_buffer *out);

/* The line of table sizes and the period. */
int console_encode_tables(const struct profile *profile, int pid, struct encode_buffer *out);

/* The |top| functions with the largest self value of the last value type, one a line: rank, share, value,
 * name, place. A leaf without a name is shown as file+0xoffset. */
int console_encode_top(const struct profile *profile, int pid, unsigned top, struct encode_buffer *out);

/* Writes |value| with a fitting unit: "9.98 s", "1.50 MiB", "412", "3 widgets". |unit| is pprof's:
 * nanoseconds, bytes, count, or any other. Returns |out|, which has CONSOLE_AMOUNT_MAX bytes. */
const char *console_amount(int64_t value, const char *unit, char *out);

#endif
