/* What otlp.c and otlp_tables.c share: one message under way. */
#ifndef OTELPROF_ENCODE_OTLP_ENCODER_H
#define OTELPROF_ENCODE_OTLP_ENCODER_H

#include "encode/otlp_dictionary.h"
#include "encode/wire.h"
#include "otlp.pb.h"

#define TAG(message, field) otlp_##message##_##field##_tag

/* Bytes of messages, heads not included. */
struct otlp_sizes {
    uint32_t *stack_rows;     /* the packed location ids, by the profile's stack */
    uint32_t *locations;      /* by the profile's location */
    uint32_t *attribute_rows; /* the packed attribute ids, by the profile's label set */
    uint32_t *row_ids;        /* of all stacks, in the profile's order: locations of the dictionary */
    uint32_t *varints;        /* id_row.h's table */
    size_t resource, scope, profiles[PROFILE_MAX_VALUES], scope_profiles, resource_profiles, dictionary;
};

struct otlp_encoder {
    const struct otlp_request *request;
    const struct profile *profile;
    struct otlp_dictionary dictionary;
    struct otlp_sizes sizes;
};

/* An AnyValue as field |field|: |text|, or |number| where that is NULL. A oneof's value is written even when
 * it is 0 or empty. */
static inline size_t otlp_any_size(const char *text, size_t len, int64_t number)
{
    return text ? wire_bytes_size(len) : 1 + wire_varint_size((uint64_t)number);
}

static inline uint8_t *otlp_put_any(uint8_t *at, unsigned field, const char *text, size_t len, int64_t number)
{
    at = wire_put_head(at, field, otlp_any_size(text, len, number));
    if (text) return wire_put_bytes(at, TAG(AnyValue, string_value), text, len);
    *at++ = wire_tag(TAG(AnyValue, int_value), WIRE_VARINT);
    return wire_put_varint(at, (uint64_t)number);
}

/* The seven tables of the dictionary: their bytes, and writing them. */
size_t otlp_tables_measure(struct otlp_encoder *e);
uint8_t *otlp_tables_put(uint8_t *at, const struct otlp_encoder *e);

#endif
