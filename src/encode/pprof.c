/*
 * The four large tables - samples, locations, functions, strings - in two passes over plain arrays: the sizes
 * of all submessages, then the bytes. The fields of a protobuf message may come in any order, so nanopb's
 * part goes first and the tables follow.
 */
#include "encode/pprof.h"

#include <errno.h>

#include "encode/id_row.h"
#include "encode/pprof_header.h"
#include "encode/wire.h"
#include "pprof.pb.h"
#include "sys/heap.h"

#define TAG(message, field) perftools_profiles_##message##_##field##_tag

/* Bytes of the bodies, one for each entry of a table, worked out once. */
struct sizes {
    uint32_t *stacks;     /* the packed location ids */
    uint32_t *label_sets; /* all labels, their heads included */
    uint32_t *locations;
    uint32_t *functions;
    uint32_t *samples;
    uint32_t *location_ids; /* id_row.h's table */
    size_t total;           /* of all tables, heads included */
};

static int sizes_allocate(struct sizes *s, const struct profile *p)
{
    size_t count = (size_t)p->stacks.count + p->label_sets.count + p->locations.count + p->functions.count +
                   p->samples.count + p->locations.count;
    s->total = 0;
    s->stacks = heap_alloc(count * sizeof *s->stacks);
    if (!s->stacks) return -ENOMEM;
    s->label_sets = s->stacks + p->stacks.count;
    s->locations = s->label_sets + p->label_sets.count;
    s->functions = s->locations + p->locations.count;
    s->samples = s->functions + p->functions.count;
    s->location_ids = s->samples + p->samples.count;
    id_row_table(s->location_ids, p->locations.count);
    return 0;
}

/* A label has either a text or a number. */
static size_t label_size(const struct profile_label *label)
{
    return wire_field_size(label->key) + wire_field_size(label->text ? label->text : (uint64_t)label->number);
}

static size_t line_size(const struct profile_line *line)
{
    return wire_field_size(line->function) + wire_field_size((uint64_t)line->line) +
           wire_field_size((uint64_t)line->column);
}

static void measure_stacks(struct sizes *s, const struct profile *p)
{
    for (uint32_t i = 0; i < p->stacks.count; i++) {
        const struct profile_stack *stack = &p->stacks.items[i];
        s->stacks[i] = (uint32_t)id_row_size(p->stacks.locations + stack->at, stack->count);
    }
}

static void measure_label_sets(struct sizes *s, const struct profile *p)
{
    for (uint32_t i = 0; i < p->label_sets.count; i++) {
        const struct profile_label_set *set = &p->label_sets.items[i];
        size_t size = 0;
        for (uint32_t k = 0; k < set->count; k++)
            size += wire_bytes_size(label_size(&p->label_sets.labels[set->at + k]));
        s->label_sets[i] = (uint32_t)size;
    }
}

static void measure_locations(struct sizes *s, const struct profile *p)
{
    for (uint32_t i = 1; i < p->locations.count; i++) {
        const struct profile_location *l = &p->locations.items[i];
        size_t size = wire_field_size(i) + wire_field_size(l->mapping) + wire_field_size(l->address);
        for (uint32_t k = 0; k < l->line_count; k++)
            size += wire_bytes_size(line_size(&p->locations.lines[l->line_at + k]));
        s->locations[i] = (uint32_t)size;
        s->total += wire_bytes_size(size);
    }
}

static void measure_functions(struct sizes *s, const struct profile *p)
{
    for (uint32_t i = 1; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        size_t size = wire_field_size(i) + wire_field_size(f->name) + wire_field_size(f->system_name) +
                      wire_field_size(f->filename) + wire_field_size((uint64_t)f->start_line);
        s->functions[i] = (uint32_t)size;
        s->total += wire_bytes_size(size);
    }
}

static size_t values_size(const struct profile *p, uint32_t sample)
{
    const int64_t *values = profile_sample_values(p, sample);
    size_t size = 0;
    for (unsigned k = 0; k < p->kind->value_count; k++) size += wire_varint_size((uint64_t)values[k]);
    return size;
}

/* After stacks and label sets. */
static void measure_samples(struct sizes *s, const struct profile *p)
{
    for (uint32_t i = 0; i < p->samples.count; i++) {
        const struct profile_sample *sample = &p->samples.items[i];
        size_t stack = s->stacks[sample->stack];
        size_t size = (stack ? wire_bytes_size(stack) : 0) + wire_bytes_size(values_size(p, i)) +
                      s->label_sets[sample->labels];
        s->samples[i] = (uint32_t)size;
        s->total += wire_bytes_size(size);
    }
}

static void measure_strings(struct sizes *s, const struct profile *p)
{
    for (uint32_t i = 0; i < p->strings.count; i++) s->total += wire_bytes_size(p->strings.items[i].length);
}

static uint8_t *put_labels(uint8_t *at, const struct profile *p, const struct profile_label_set *set)
{
    for (uint32_t k = 0; k < set->count; k++) {
        const struct profile_label *label = &p->label_sets.labels[set->at + k];
        at = wire_put_head(at, TAG(Sample, label), label_size(label));
        at = wire_put_field(at, TAG(Label, key), label->key);
        if (label->text)
            at = wire_put_field(at, TAG(Label, str), label->text);
        else
            at = wire_put_field(at, TAG(Label, num), (uint64_t)label->number);
    }
    return at;
}

static uint8_t *put_samples(uint8_t *at, const struct profile *p, const struct sizes *s)
{
    for (uint32_t i = 0; i < p->samples.count; i++) {
        const struct profile_sample *sample = &p->samples.items[i];
        const struct profile_stack *stack = &p->stacks.items[sample->stack];
        const uint32_t *ids = p->stacks.locations + stack->at;
        const int64_t *values = profile_sample_values(p, i);
        at = wire_put_head(at, TAG(Profile, sample), s->samples[i]);
        if (stack->count) at = wire_put_head(at, TAG(Sample, location_id), s->stacks[sample->stack]);
        at = id_row_put(at, ids, stack->count, s->location_ids);
        at = wire_put_head(at, TAG(Sample, value), values_size(p, i));
        for (unsigned k = 0; k < p->kind->value_count; k++) at = wire_put_varint(at, (uint64_t)values[k]);
        at = put_labels(at, p, &p->label_sets.items[sample->labels]);
    }
    return at;
}

static uint8_t *put_locations(uint8_t *at, const struct profile *p, const struct sizes *s)
{
    for (uint32_t i = 1; i < p->locations.count; i++) {
        const struct profile_location *l = &p->locations.items[i];
        at = wire_put_head(at, TAG(Profile, location), s->locations[i]);
        at = wire_put_field(at, TAG(Location, id), i);
        at = wire_put_field(at, TAG(Location, mapping_id), l->mapping);
        at = wire_put_field(at, TAG(Location, address), l->address);
        for (uint32_t k = 0; k < l->line_count; k++) {
            const struct profile_line *line = &p->locations.lines[l->line_at + k];
            at = wire_put_head(at, TAG(Location, line), line_size(line));
            at = wire_put_field(at, TAG(Line, function_id), line->function);
            at = wire_put_field(at, TAG(Line, line), (uint64_t)line->line);
            at = wire_put_field(at, TAG(Line, column), (uint64_t)line->column);
        }
    }
    return at;
}

static uint8_t *put_functions(uint8_t *at, const struct profile *p, const struct sizes *s)
{
    for (uint32_t i = 1; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        at = wire_put_head(at, TAG(Profile, function), s->functions[i]);
        at = wire_put_field(at, TAG(Function, id), i);
        at = wire_put_field(at, TAG(Function, name), f->name);
        at = wire_put_field(at, TAG(Function, system_name), f->system_name);
        at = wire_put_field(at, TAG(Function, filename), f->filename);
        at = wire_put_field(at, TAG(Function, start_line), (uint64_t)f->start_line);
    }
    return at;
}

static uint8_t *put_strings(uint8_t *at, const struct profile *p)
{
    for (uint32_t i = 0; i < p->strings.count; i++)
        at = wire_put_bytes(at, TAG(Profile, string_table), p->strings.bytes + p->strings.items[i].at,
                            p->strings.items[i].length);
    return at;
}

int pprof_encode(const struct profile *p, struct encode_buffer *out)
{
    struct sizes sizes;
    size_t before = out->size;
    if (sizes_allocate(&sizes, p)) return -ENOMEM;
    measure_stacks(&sizes, p);
    measure_label_sets(&sizes, p);
    measure_locations(&sizes, p);
    measure_functions(&sizes, p);
    measure_samples(&sizes, p);
    measure_strings(&sizes, p);
    /* Room for all of it at once: the header is a few hundred bytes, so the second reservation seldom moves
     * anything. */
    int rc = encode_buffer_reserve(out, sizes.total + 4096);
    if (!rc) encode_buffer_populate(out);
    if (!rc) rc = pprof_header_encode(p, out);
    if (!rc) rc = encode_buffer_reserve(out, sizes.total + ID_ROW_SLACK);
    if (!rc) {
        uint8_t *at = out->data + out->size;
        at = put_samples(at, p, &sizes);
        at = put_locations(at, p, &sizes);
        at = put_functions(at, p, &sizes);
        at = put_strings(at, p);
        out->size = (size_t)(at - out->data);
    } else {
        out->size = before;
    }
    heap_free(sizes.stacks);
    return rc;
}
