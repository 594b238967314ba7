// SPDX-License-Identifier: Apache-2.0
// Self and cumulative values per function, of one profile or many.
//
// Functions are one row if name and file are the same, in all profiles. The rules are those of `go tool pprof
// -top` (google/pprof internal/graph: newGraph, CreateNodes), so the numbers are too:
//   self        the value of the samples whose leaf is the function: the innermost line of the first location
//   cumulative  the value of the samples in whose stack it is, each once, however often it recurs
//   total       the sum of the absolute values of all samples, with or without a stack
// A sample of value 0 counts nothing, and a function whose self and cumulative are both 0 is no row.
// What differs, on purpose: pprof merges functions of one name in different files unless asked with
// -filefunctions, and normalises file names, which would break "file:///app.js"; it puts all locations
// without a function in one row a binary, "[basename]", where we keep the addresses apart,
// "[basename+0xoffset]"; drop_frames is not applied.
#ifndef OTELPROF_READ_TOP_H
#define OTELPROF_READ_TOP_H

#include <stdint.h>

#include "error.h"
#include "profile.h"
#include "table.h"

struct read_top_frame {
    char *name; // never empty; |name_size| bytes and a NUL
    size_t name_size;
    char *file; // "" if unknown; |file_size| bytes and a NUL
    size_t file_size;
    int64_t start_line,
        first_line;           // smallest seen, 0 if none: where the function starts; where it was sampled
    int64_t self, cumulative; // in |unit|; they stop at INT64_MAX instead of overflowing
    uint64_t last_sample;     // the sample that counted it last
};

// Zero it before the first use.
struct read_top {
    char *type, *unit;  // of the values; set by the first profile
    char *first_source; // the profile that set them
    int64_t total;
    int64_t duration_nanos; // summed over the profiles, as pprof's merge does
    uint64_t file_count;
    uint64_t record_count;    // samples in the files whose value is not 0
    int64_t sample_count;     // what they stand for, if the files say it in a type samples/count; else 0
    struct read_table frames; // struct read_top_frame; after read_top_sort() the biggest first
    uint32_t *index;          // open-addressing hash of the frames by name and file: frame number + 1, or 0
    size_t index_size;        // a power of two
    uint64_t sample_stamp;
};

// Adds |profile|, which was read from |source| (a name for messages). The first profile decides the type:
// |wanted| (see read_value_type_find()), or its default if NULL; all others must have the type in the same
// unit. Errors, with the reason in |error|: -EINVAL without such a type or with another unit, -ENOMEM. A
// profile without any sample type is counted and adds nothing.
int read_top_add(struct read_top *top, const struct read_profile *profile, const char *source,
                 const char *wanted, struct read_error *error);

// Drops the frames that are no row, and orders the rest by self, then cumulative, both descending, then name
// and file. Nothing may be added after it.
void read_top_sort(struct read_top *top);

// The line to show for |frame|: where the function starts or, if no profile says that, the smallest line
// sampled.
int64_t read_top_line(const struct read_top_frame *frame);

void read_top_free(struct read_top *top);

#endif
