/*
 * What a range of a profile's samples needs of the profile's tables, numbered densely as the tables of an
 * OTLP dictionary, and the attributes that OTLP has instead of labels. So a part of a large profile is valid
 * by itself and has no orphans. Any one thread; not in signal handlers.
 */
#ifndef OTELPROF_ENCODE_OTLP_DICTIONARY_H
#define OTELPROF_ENCODE_OTLP_DICTIONARY_H

#include "encode/otlp.h"

/* An entry of the attribute table. */
struct otlp_attribute {
    uint32_t key;     /* index into otlp_dictionary.strings */
    const char *text; /* NULL: |number| counts */
    size_t len;
    int64_t number;
};

struct otlp_text {
    const char *text;
    size_t len;
};

/* The maps hold, at the profile's id, the id in the dictionary; 0: it is not in it. */
struct otlp_dictionary {
    const struct profile *profile;
    uint32_t *stacks, *label_sets, *locations, *functions, *mappings;
    uint32_t function_count;  /* of the dictionary, zero entry included */
    uint32_t *strings;        /* also for the texts that the profile has not, behind its own */
    struct otlp_text *extras; /* those texts */
    uint32_t extra_count;

    struct otlp_attribute *attributes; /* [0] is the zero entry */
    uint32_t attribute_count;
    size_t attribute_cap;
    struct index attribute_index;
    uint32_t *label_attributes;                /* by place in the profile's labels */
    uint32_t *build_ids;                       /* by the profile's mapping; 0: it has none */
    uint32_t frame_types[PROFILE_FRAME_TYPES]; /* 0 for the unknown */
    uint32_t first_figure;                     /* figures have ids in a row */
};

/* Fills |d|, which needs otlp_dictionary_free in any case. 0 or -ENOMEM. */
int otlp_dictionary_make(struct otlp_dictionary *d, const struct otlp_request *request);

void otlp_dictionary_free(struct otlp_dictionary *d);

#endif
