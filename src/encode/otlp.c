/*
 * In two passes as pprof.c: the sizes of all messages from the inside out, then the bytes. What is small is
 * measured anew where it is written.
 */
#include "encode/otlp.h"

#include <errno.h>
#include <string.h>

#include "encode/id_row.h"
#include "encode/otlp_encoder.h"
#include "sys/heap.h"

static const char scope_name[] = "libotelprof", scope_version[] = OTELPROF_VERSION;

static const char *resource_text(const struct resource_attribute *a)
{
    return a->is_number ? NULL : a->text;
}

static size_t resource_attribute_size(const struct resource_attribute *a)
{
    const char *text = resource_text(a);
    return wire_bytes_size(strlen(a->key)) +
           wire_bytes_size(otlp_any_size(text, text ? strlen(text) : 0, a->number));
}

static size_t measure_resource(const struct resource *resource)
{
    size_t size = 0;
    for (size_t i = 0; resource && i < resource->count; i++)
        size += wire_bytes_size(resource_attribute_size(&resource->items[i]));
    return size;
}

static uint8_t *put_resource(uint8_t *at, const struct resource *resource)
{
    for (size_t i = 0; resource && i < resource->count; i++) {
        const struct resource_attribute *a = &resource->items[i];
        const char *text = resource_text(a);
        at = wire_put_head(at, TAG(Resource, attributes), resource_attribute_size(a));
        at = wire_put_bytes(at, TAG(KeyValue, key), a->key, strlen(a->key));
        at = otlp_put_any(at, TAG(KeyValue, value), text, text ? strlen(text) : 0, a->number);
    }
    return at;
}

/* Samples. */

static size_t sample_size(const struct otlp_encoder *e, const struct profile_sample *sample, int64_t value)
{
    size_t row = e->sizes.attribute_rows[sample->labels];
    return wire_field_size(e->dictionary.stacks[sample->stack]) + (row ? wire_bytes_size(row) : 0) +
           wire_bytes_size(wire_varint_size((uint64_t)value));
}

static uint8_t *put_sample(uint8_t *at, const struct otlp_encoder *e, const struct profile_sample *sample,
                           int64_t value)
{
    const struct profile_label_set *set = &e->profile->label_sets.items[sample->labels];
    at = wire_put_head(at, TAG(Profile, samples), sample_size(e, sample, value));
    at = wire_put_field(at, TAG(Sample, stack_index), e->dictionary.stacks[sample->stack]);
    if (set->count)
        at = wire_put_head(at, TAG(Sample, attribute_indices), e->sizes.attribute_rows[sample->labels]);
    for (uint32_t k = 0; k < set->count; k++)
        at = wire_put_varint(at, e->dictionary.label_attributes[set->at + k]);
    at = wire_put_head(at, TAG(Sample, values), wire_varint_size((uint64_t)value));
    return wire_put_varint(at, (uint64_t)value);
}

/* Profiles: one for each sample type that has a value. */

static size_t value_type_size(const struct otlp_encoder *e, uint32_t type, uint32_t unit)
{
    return wire_field_size(e->dictionary.strings[type]) + wire_field_size(e->dictionary.strings[unit]);
}

static uint8_t *put_value_type(uint8_t *at, unsigned field, const struct otlp_encoder *e, uint32_t type,
                               uint32_t unit)
{
    at = wire_put_head(at, field, value_type_size(e, type, unit));
    at = wire_put_field(at, TAG(ValueType, type_strindex), e->dictionary.strings[type]);
    return wire_put_field(at, TAG(ValueType, unit_strindex), e->dictionary.strings[unit]);
}

static size_t figures_size(const struct otlp_encoder *e)
{
    size_t size = 0;
    for (size_t i = 0; i < e->request->figure_count; i++)
        size += wire_varint_size(e->dictionary.first_figure + i);
    return size;
}

/* 0: no sample has a value of this type. */
static size_t measure_profile(const struct otlp_encoder *e, unsigned type)
{
    const struct profile *p = e->profile;
    size_t size = 0, figures = figures_size(e);
    for (uint32_t i = e->request->first; i < e->request->end; i++) {
        int64_t value = profile_sample_values(p, i)[type];
        if (value) size += wire_bytes_size(sample_size(e, &p->samples.items[i], value));
    }
    if (!size) return 0;
    return size + wire_bytes_size(value_type_size(e, p->types[type].type, p->types[type].unit)) +
           wire_fixed64_size((uint64_t)p->time_nanos) + wire_field_size((uint64_t)p->duration_nanos) +
           wire_bytes_size(value_type_size(e, p->period_type.type, p->period_type.unit)) +
           wire_field_size((uint64_t)p->period) + (figures ? wire_bytes_size(figures) : 0);
}

static uint8_t *put_profile(uint8_t *at, const struct otlp_encoder *e, unsigned type)
{
    const struct profile *p = e->profile;
    size_t figures = figures_size(e);
    at = wire_put_head(at, TAG(ScopeProfiles, profiles), e->sizes.profiles[type]);
    at = put_value_type(at, TAG(Profile, sample_type), e, p->types[type].type, p->types[type].unit);
    for (uint32_t i = e->request->first; i < e->request->end; i++) {
        int64_t value = profile_sample_values(p, i)[type];
        if (value) at = put_sample(at, e, &p->samples.items[i], value);
    }
    at = wire_put_fixed64(at, TAG(Profile, time_unix_nano), (uint64_t)p->time_nanos);
    at = wire_put_field(at, TAG(Profile, duration_nano), (uint64_t)p->duration_nanos);
    at = put_value_type(at, TAG(Profile, period_type), e, p->period_type.type, p->period_type.unit);
    at = wire_put_field(at, TAG(Profile, period), (uint64_t)p->period);
    if (figures) at = wire_put_head(at, TAG(Profile, attribute_indices), figures);
    for (size_t i = 0; i < e->request->figure_count; i++)
        at = wire_put_varint(at, e->dictionary.first_figure + i);
    return at;
}

static int allocate(struct otlp_encoder *e)
{
    const struct profile *p = e->profile;
    size_t count = (size_t)p->stacks.count + 2 * (size_t)p->locations.count + p->label_sets.count +
                   p->stacks.locations_used;
    uint32_t *at = heap_zalloc(count, sizeof *at);
    if (!at) return -ENOMEM;
    e->sizes.stack_rows = at;
    e->sizes.locations = at += p->stacks.count;
    e->sizes.varints = at += p->locations.count;
    e->sizes.attribute_rows = at += p->locations.count;
    e->sizes.row_ids = at + p->label_sets.count;
    id_row_table(e->sizes.varints, p->locations.count);
    return 0;
}

static void measure_attribute_rows(struct otlp_encoder *e)
{
    const struct profile_label_sets *t = &e->profile->label_sets;
    for (uint32_t i = 1; i < t->count; i++) {
        if (!e->dictionary.label_sets[i]) continue;
        for (uint32_t k = 0; k < t->items[i].count; k++)
            e->sizes.attribute_rows[i] +=
                (uint32_t)wire_varint_size(e->dictionary.label_attributes[t->items[i].at + k]);
    }
}

/* Bytes of the whole message, 0 without samples. */
static size_t measure(struct otlp_encoder *e)
{
    struct otlp_sizes *s = &e->sizes;
    size_t profiles = 0;
    measure_attribute_rows(e);
    for (unsigned type = 0; type < e->profile->kind->value_count; type++) {
        s->profiles[type] = measure_profile(e, type);
        if (s->profiles[type]) profiles += wire_bytes_size(s->profiles[type]);
    }
    if (!profiles) return 0;
    s->resource = measure_resource(e->request->resource);
    s->scope = wire_bytes_size(sizeof scope_name - 1) + wire_bytes_size(sizeof scope_version - 1);
    s->scope_profiles = wire_bytes_size(s->scope) + profiles;
    s->resource_profiles = wire_bytes_size(s->resource) + wire_bytes_size(s->scope_profiles);
    s->dictionary = otlp_tables_measure(e);
    return wire_bytes_size(s->resource_profiles) + wire_bytes_size(s->dictionary);
}

static uint8_t *put(uint8_t *at, const struct otlp_encoder *e)
{
    at = wire_put_head(at, TAG(ExportProfilesServiceRequest, resource_profiles), e->sizes.resource_profiles);
    at = wire_put_head(at, TAG(ResourceProfiles, resource), e->sizes.resource);
    at = put_resource(at, e->request->resource);
    at = wire_put_head(at, TAG(ResourceProfiles, scope_profiles), e->sizes.scope_profiles);
    at = wire_put_head(at, TAG(ScopeProfiles, scope), e->sizes.scope);
    at = wire_put_bytes(at, TAG(InstrumentationScope, name), scope_name, sizeof scope_name - 1);
    at = wire_put_bytes(at, TAG(InstrumentationScope, version), scope_version, sizeof scope_version - 1);
    for (unsigned type = 0; type < e->profile->kind->value_count; type++)
        if (e->sizes.profiles[type]) at = put_profile(at, e, type);
    at = wire_put_head(at, TAG(ExportProfilesServiceRequest, dictionary), e->sizes.dictionary);
    return otlp_tables_put(at, e);
}

int otlp_encode(const struct otlp_request *request, struct encode_buffer *out)
{
    struct otlp_encoder e = {.request = request, .profile = request->profile};
    int rc = otlp_dictionary_make(&e.dictionary, request);
    if (!rc) rc = allocate(&e);
    size_t size = rc ? 0 : measure(&e);
    if (!rc && !size) rc = -ENODATA;
    if (!rc) rc = encode_buffer_reserve(out, size + ID_ROW_SLACK);
    if (!rc) {
        encode_buffer_populate(out);
        out->size = (size_t)(put(out->data + out->size, &e) - out->data);
    }
    heap_free(e.sizes.stack_rows);
    otlp_dictionary_free(&e.dictionary);
    return rc;
}
