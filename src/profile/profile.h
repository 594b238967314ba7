/*
 * The profile model: one window of one kind (cpu, wall, ...), free of any wire format. The collector fills
 * it, the encoders read it.
 *
 * Every table keeps its zero entry at index 0, meaning "none", as the OTLP profiles dictionary wants it
 * (opentelemetry- proto v1.11 profiles.proto, ProfilesDictionary); pprof's ids are our indexes as they are.
 * Equal entries are stored once, so an id stands for a value.
 *
 * All memory comes from sys/heap and is bounded by |bytes_limit|. When memory runs out, or the limit is
 * reached, the call returns 0 (those that give an id) or -ENOMEM, the datum is left out and |dropped| grows
 * by one; the profile stays usable.
 *
 * A profile belongs to one thread at a time. Nothing here may run in a signal handler.
 */
#ifndef OTELPROF_PROFILE_PROFILE_H
#define OTELPROF_PROFILE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/index.h"

enum {
    PROFILE_MAX_VALUES = 4,
    PROFILE_MAX_LABELS = 64,    /* a sample; Pyroscope refuses more than 100 */
    PROFILE_MAX_STRING = 65535, /* bytes; Pyroscope refuses a profile with a longer name */
    PROFILE_DEFAULT_BYTES = 64 * 1024 * 1024
};

struct profile_value_type {
    const char *type, *unit; /* "cpu", "nanoseconds" */
};

/* What is measured. A constant of the program: it outlives its profiles. */
struct profile_kind {
    const char *name; /* "cpu": goes into file names and messages */
    unsigned value_count;
    struct profile_value_type values[PROFILE_MAX_VALUES]; /* the last one is shown by default */
    struct profile_value_type period_type;
};

struct profile_string {
    uint32_t at, length; /* in profile_strings.bytes; a NUL follows that is not counted */
};

struct profile_mapping {
    uint64_t start, limit; /* addresses in the process; the limit is exclusive */
    uint64_t offset;       /* of |start| in the file, bytes */
    uint32_t filename, build_id;
};

struct profile_function {
    uint32_t name;        /* demangled */
    uint32_t system_name; /* as the linker sees it */
    uint32_t filename;
    int64_t start_line, start_column; /* from 1, 0 = unknown */
};

struct profile_line {
    uint32_t function;
    int64_t line, column; /* from 1, 0 = unknown */
};

/* profile.frame.type of the semantic conventions. */
enum profile_frame_type {
    PROFILE_FRAME_UNKNOWN,
    PROFILE_FRAME_NATIVE,
    PROFILE_FRAME_RUST,
    PROFILE_FRAME_V8JS,
    PROFILE_FRAME_CPYTHON,
    PROFILE_FRAME_TYPES
};

struct profile_location {
    uint64_t address;
    uint32_t mapping;
    uint32_t line_at, line_count; /* in profile_locations.lines; the innermost inlined function first */
    uint32_t key_at, key_count; /* the lines it was interned with, which profile_location_set_lines leaves */
    uint32_t frame_type;        /* enum profile_frame_type */
};

struct profile_stack {
    uint32_t at, count; /* in profile_stacks.locations, leaf first */
};

struct profile_label {
    uint32_t key;
    uint32_t text; /* a string, or 0: then |number| counts */
    int64_t number;
};

struct profile_label_set {
    uint32_t at, count; /* in profile_label_sets.labels, by ascending key, each key once */
};

struct profile_sample {
    uint32_t stack, labels;
};

/* The tables. Arrays hold |count| entries, the zero entry included; everything else is for src/profile alone.
 */
struct profile_strings {
    struct profile_string *items;
    uint32_t count;
    char *bytes;
    uint32_t bytes_used;
    size_t cap, bytes_cap;
    struct index index;
};

struct profile_mappings {
    struct profile_mapping *items;
    uint32_t count;
    size_t cap;
    struct index index;
};

struct profile_functions {
    struct profile_function *items;
    uint32_t count;
    size_t cap;
    struct index index;
};

struct profile_locations {
    struct profile_location *items;
    uint32_t count;
    struct profile_line *lines;
    uint32_t lines_used;
    size_t cap, lines_cap;
    struct index index;
};

struct profile_stacks {
    struct profile_stack *items;
    uint32_t count;
    uint32_t *locations;
    uint32_t locations_used;
    size_t cap, locations_cap;
    struct index index;
};

struct profile_label_sets {
    struct profile_label_set *items;
    uint32_t count;
    struct profile_label *labels;
    uint32_t labels_used;
    size_t cap, labels_cap;
    struct index index;
};

/* Nothing refers to samples, so they have no zero entry: 0 .. count - 1. */
struct profile_samples {
    struct profile_sample *items;
    int64_t *values; /* kind->value_count for each sample; use profile_sample_values */
    uint32_t count;
    size_t cap, values_cap;
    struct index index; /* holds sample + 1 */
};

struct profile {
    const struct profile_kind *kind;
    int64_t period;         /* in the unit of kind->period_type */
    int64_t time_nanos;     /* start of the window, Unix time; the collector sets it */
    int64_t duration_nanos; /* the collector sets it */
    uint64_t dropped;       /* data left out for want of memory */
    size_t bytes_limit;     /* PROFILE_DEFAULT_BYTES, or what the collector sets */
    size_t bytes;           /* in the tables now */
    int sealed;

    struct {
        uint32_t type, unit;
    } types[PROFILE_MAX_VALUES], period_type; /* kind's texts as strings of this profile */
    uint32_t *comments;                       /* strings */
    uint32_t comment_count;
    size_t comments_cap;

    struct profile_strings strings;
    struct profile_mappings mappings;
    struct profile_functions functions;
    struct profile_locations locations;
    struct profile_stacks stacks;
    struct profile_label_sets label_sets;
    struct profile_samples samples;
};

/* An empty profile, or NULL when there is no memory. |period| is in the unit of kind->period_type and should
 * not be 0: Pyroscope rejects OTLP profiles without one. */
struct profile *profile_create(const struct profile_kind *kind, int64_t period);

/* Gives everything back. NULL: nothing. */
void profile_destroy(struct profile *profile);

/*
 * The string of |len| bytes at |text|, copied. Bytes that are not UTF-8 become U+FFFD (all readers of pprof
 * and OTLP want UTF-8) and what is longer than PROFILE_MAX_STRING is cut at a character. The empty string is
 * 0.
 */
uint32_t profile_string(struct profile *profile, const char *text, size_t len);

/* String |id|, terminated; valid until the next string is added. An id out of range gives "". */
const char *profile_string_text(const struct profile *profile, uint32_t id);

/* A mapped file. The first one created is taken for the main binary: pprof wants it first. |filename| and
 * |build_id| (hexadecimal) are strings. */
uint32_t profile_mapping(struct profile *profile, uint64_t start, uint64_t limit, uint64_t offset,
                         uint32_t filename, uint32_t build_id);

/* A function; the first three are strings, and one of them is not 0. No format writes the column, but it
 * keeps functions of one line apart: those of a minified file. */
uint32_t profile_function(struct profile *profile, uint32_t name, uint32_t system_name, uint32_t filename,
                          int64_t start_line, int64_t start_column);

/*
 * The location of (mapping, address, lines): |mapping| 0 is code of no file (JIT), |address| 0 is a synthetic
 * frame such as "[truncated]", which then needs a line (Pyroscope drops samples with a location that has
 * neither). |lines| are the inlined functions at the place, innermost first.
 */
uint32_t profile_location(struct profile *profile, uint32_t mapping, uint64_t address,
                          const struct profile_line *lines, unsigned count);

/*
 * Gives |location| other lines: native names come late, in one batch. The location keeps its id and its
 * identity: profile_location with the arguments it was made with still finds it. 0, -ENOMEM, or -EINVAL for
 * an unknown id.
 */
int profile_location_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                               unsigned count);

/* What runs at |location|. No part of the location's identity. */
void profile_location_set_type(struct profile *profile, uint32_t location, enum profile_frame_type type);

/* "native", "v8js" ..., "" for PROFILE_FRAME_UNKNOWN. */
const char *profile_frame_type_name(enum profile_frame_type type);

/* The stack of |count| locations, leaf first. Locations 0 (dropped for want of memory) are left out. */
uint32_t profile_stack(struct profile *profile, const uint32_t *locations, unsigned count);

/*
 * A set of labels; their order does not matter. A label without a key is left out, and of two with one key
 * the later one counts. At most PROFILE_MAX_LABELS. 0 is the empty set.
 */
uint32_t profile_labels(struct profile *profile, const struct profile_label *labels, unsigned count);

/*
 * Adds kind->value_count |values| to the sample of (stack, labels), which is made if there is none. Sums stop
 * at the ends of int64_t. Stack 0 keeps the value with no stack: a total stays right when a stack found no
 * memory.
 */
int profile_add(struct profile *profile, uint32_t stack, uint32_t labels, const int64_t *values);

/* The values of |sample|, for reading and for scaling in place. */
static inline int64_t *profile_sample_values(const struct profile *profile, uint32_t sample)
{
    return profile->samples.values + (size_t)sample * profile->kind->value_count;
}

/* The sum of value |type| over all samples. */
int64_t profile_total(const struct profile *profile, unsigned type);

/* A line of text for the reader ("dropped: ring=12"); equal ones are kept once. */
int profile_comment(struct profile *profile, const char *text);

/*
 * Makes the profile ready for an encoder: drops samples whose values are all 0, then everything that no
 * sample, value type or comment refers to, and numbers the rest densely in the old order, so that a table has
 * no orphans (OTLP: "SHOULD NOT") and index = pprof id - Parca demands ids 1, 2, 3 .... The first mapping is
 * kept whether it is used or not: it is the main binary. All ids the caller holds are void afterwards, and
 * the profile is read-only: the functions above return 0 or -EROFS. Only values may still be changed.
 *
 * 0, or -ENOMEM: nothing has changed, and the profile may be encoded with its orphans.
 */
int profile_seal(struct profile *profile);

#endif
