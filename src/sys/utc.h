/* Unix time as a calendar date, without libc (gmtime is fine, but strftime uses the locale). Pure;
 * async-signal-safe. */
#ifndef OTELPROF_SYS_UTC_H
#define OTELPROF_SYS_UTC_H

#include <stdint.h>

struct utc {
    int year, month, day; /* month and day from 1 */
    int hour, minute, second, millisecond;
};

/* |nanos| since 1970-01-01T00:00:00Z, negative before. Algorithm: H. Hinnant, "chrono-compatible low-level
 * date algorithms", civil_from_days. */
void utc_split(int64_t nanos, struct utc *utc);

/* The other way, in seconds: |utc| is a valid date, milliseconds do not count. */
int64_t utc_seconds(const struct utc *utc);

#endif
