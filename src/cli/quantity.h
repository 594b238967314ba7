// SPDX-License-Identifier: Apache-2.0
// Values as people read them: 1.50 s, 3.25 MiB, 1234.
#ifndef OTELPROF_CLI_QUANTITY_H
#define OTELPROF_CLI_QUANTITY_H

#include <stdint.h>

struct quantity {
    char text[48];
};

// |value| in the pprof |unit|: times in ns, µs, ms, s or min, sizes in B, KiB, MiB, GiB or TiB, whichever is
// the biggest that leaves at least 1; anything else is a plain number.
struct quantity quantity_of(int64_t value, const char *unit);

#endif
