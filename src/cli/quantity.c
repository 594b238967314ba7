// SPDX-License-Identifier: Apache-2.0
#include "quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct step {
    const char *name;
    double size; // in the first step
};

static const struct step times[] = {{"ns", 1},  {"µs", 1e3},   {"ms", 1e6},
                                    {"s", 1e9}, {"min", 60e9}, {NULL, 0}};
static const struct step sizes[] = {
    {"B", 1}, {"KiB", 1024.0}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0},
};

// The names of units that profiles use, each with what it is in the first step of its scale.
static const struct {
    const char *unit;
    const struct step *scale;
    double size;
} units[] = {
    {"nanoseconds", times, 1},    {"nanosecond", times, 1},     {"ns", times, 1},
    {"microseconds", times, 1e3}, {"us", times, 1e3},           {"milliseconds", times, 1e6},
    {"ms", times, 1e6},           {"seconds", times, 1e9},      {"s", times, 1e9},
    {"bytes", sizes, 1},          {"byte", sizes, 1},           {"B", sizes, 1},
    {"kilobytes", sizes, 1024.0}, {"megabytes", sizes, 0x1p20},
};

struct quantity quantity_of(int64_t value, const char *unit)
{
    struct quantity quantity;
    const struct step *scale = NULL;
    double base = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, unit) == 0) {
            scale = units[i].scale;
            base = (double)value * units[i].size;
        }
    if (!scale || value == 0) {
        snprintf(quantity.text, sizeof quantity.text, "%" PRId64, value);
        return quantity;
    }
    const struct step *step = scale;
    // 0.99999: what would be printed as 1000.00 ms is 1.00 s.
    while (step[1].name && fabs(base) >= step[1].size * 0.99999) step++;
    bool whole = step == scale;
    snprintf(quantity.text, sizeof quantity.text, "%.*f %s", whole ? 0 : 2, base / step->size, step->name);
    return quantity;
}
