// SPDX-License-Identifier: Apache-2.0
// The messages of a pprof file as they stand in it, with ids and string numbers not yet resolved: samples
// come before the locations they name, and strings last, so reading takes two steps. Used by pprof.c only.
#ifndef OTELPROF_READ_PPROF_RAW_H
#define OTELPROF_READ_PPROF_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "profile.h"
#include "table.h"

// The most memory that the raw tables may take. A row is up to 40 times bigger than its shortest message.
#define PPROF_RAW_BUDGET ((size_t)2 << 30)

// Numbers of strings are kept as the varint says them; negative ones are just out of range.
struct raw_value_type {
    uint64_t type, unit;
};
struct raw_mapping {
    uint64_t id, start, limit, offset, file, build_id;
};
struct raw_function {
    uint64_t id, name, system_name, file;
    int64_t start_line;
};
struct raw_line {
    uint64_t function_id;
    int64_t line, column;
};
struct raw_location {
    uint64_t id, mapping_id, address;
    size_t first_line, line_count;
};
struct raw_label {
    uint64_t key, text, unit;
    int64_t number;
};
struct raw_sample {
    size_t first_location, location_count, first_value, value_count, first_label, label_count;
};
struct raw_string {
    size_t offset, size; // in the file's plain bytes
};

struct pprof_raw {
    const uint8_t *data; // the plain bytes; not owned
    size_t size;
    size_t budget;
    struct read_table types, mappings, functions, lines, locations, labels, samples, strings;
    struct read_table location_ids, values, comments; // uint64_t, int64_t, uint64_t
    struct raw_value_type period_type;
    uint64_t default_type;
    int64_t period, time_nanos, duration_nanos;
};

// Decodes |data| into |raw|, which is zeroed before and freed after by the caller, also on failure; |data|
// stays until then. -EBADMSG or -ENOMEM.
int pprof_raw_decode(struct pprof_raw *raw, const uint8_t *data, size_t size, struct read_error *error);

// Checks |raw| and makes the model of it, which is the caller's. -EBADMSG or -ENOMEM.
int pprof_raw_resolve(const struct pprof_raw *raw, struct read_profile **profile, struct read_error *error);

void pprof_raw_free(struct pprof_raw *raw);

#endif
