// SPDX-License-Identifier: Apache-2.0
// A profile in memory, as a reader wants it: every reference of the file is resolved to an index or a text,
// every index is in range, and nothing of the wire format is left. Immutable once made; one owner; not tied
// to a thread.
#ifndef OTELPROF_READ_PROFILE_H
#define OTELPROF_READ_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// "There is none" for an index.
#define READ_NONE UINT32_MAX

// Bytes from the file, owned by the profile, with a NUL after them. They are not checked: they may hold
// invalid UTF-8, control bytes or a NUL inside.
struct read_text {
    const char *bytes;
    size_t size;
};

struct read_value_type {
    struct read_text type, unit; // "cpu", "nanoseconds"
};

struct read_mapping {
    uint64_t start, limit; // addresses in the process
    uint64_t offset;       // in the file, of |start|
    struct read_text file, build_id;
};

struct read_function {
    struct read_text name, system_name, file;
    int64_t start_line; // 0: unknown
};

struct read_line {
    uint32_t function; // index of a function; always one (lines without a function are dropped)
    int64_t line;      // 0: unknown
    int64_t column;
};

struct read_location {
    uint64_t address;
    uint32_t mapping; // index of a mapping or READ_NONE
    uint32_t line_count;
    size_t first_line; // in |lines|; the innermost inlined function comes first
};

struct read_label {
    struct read_text key;
    struct read_text text; // the value, unless |is_number|
    int64_t number;        // the value, if |is_number|
    struct read_text unit; // of |number|
    bool is_number;
};

struct read_sample {
    size_t first_location; // in |stack|; leaf first
    size_t first_label;    // in |labels|
    uint32_t location_count, label_count;
};

struct read_profile {
    struct read_value_type *types;
    size_t type_count;
    struct read_mapping *mappings;
    size_t mapping_count;
    struct read_function *functions;
    size_t function_count;
    struct read_location *locations;
    size_t location_count;
    struct read_line *lines;
    size_t line_count;
    struct read_sample *samples;
    size_t sample_count;
    int64_t *values; // |type_count| for each sample: sample i has values[i * type_count ...]
    uint32_t *stack; // indexes of locations
    struct read_label *labels;
    struct read_text *comments;
    size_t comment_count;
    struct read_text default_type; // a type's name or ""
    struct read_value_type period_type;
    int64_t period;
    int64_t time_nanos; // start, UTC
    int64_t duration_nanos;
    struct read_text *strings; // the file's string table; every text above is one of these
    size_t string_count;
    char *string_bytes; // what they point into
};

// Frees |profile| and all it holds; NULL is allowed.
void read_profile_free(struct read_profile *profile);

#endif
