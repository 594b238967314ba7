/* The tables of the dictionary, each of which begins with its zero entry. */
#include "encode/id_row.h"
#include "encode/otlp_encoder.h"

enum { TRACE_ID_BYTES = 16, SPAN_ID_BYTES = 8 };

static uint8_t *put_zero_entry(uint8_t *at, unsigned table)
{
    return wire_put_head(at, table, 0);
}

static size_t mapping_size(const struct otlp_encoder *e, uint32_t id)
{
    const struct profile_mapping *m = &e->profile->mappings.items[id];
    uint32_t build_id = e->dictionary.build_ids[id];
    return wire_field_size(m->start) + wire_field_size(m->limit) + wire_field_size(m->offset) +
           wire_field_size(e->dictionary.strings[m->filename]) +
           (build_id ? wire_bytes_size(wire_varint_size(build_id)) : 0);
}

static size_t measure_mappings(const struct otlp_encoder *e)
{
    size_t size = wire_bytes_size(0);
    for (uint32_t i = 1; i < e->profile->mappings.count; i++)
        if (e->dictionary.mappings[i]) size += wire_bytes_size(mapping_size(e, i));
    return size;
}

static uint8_t *put_mappings(uint8_t *at, const struct otlp_encoder *e)
{
    at = put_zero_entry(at, TAG(ProfilesDictionary, mapping_table));
    for (uint32_t i = 1; i < e->profile->mappings.count; i++) {
        const struct profile_mapping *m = &e->profile->mappings.items[i];
        uint32_t build_id = e->dictionary.build_ids[i];
        if (!e->dictionary.mappings[i]) continue;
        at = wire_put_head(at, TAG(ProfilesDictionary, mapping_table), mapping_size(e, i));
        at = wire_put_field(at, TAG(Mapping, memory_start), m->start);
        at = wire_put_field(at, TAG(Mapping, memory_limit), m->limit);
        at = wire_put_field(at, TAG(Mapping, file_offset), m->offset);
        at = wire_put_field(at, TAG(Mapping, filename_strindex), e->dictionary.strings[m->filename]);
        if (!build_id) continue;
        at = wire_put_head(at, TAG(Mapping, attribute_indices), wire_varint_size(build_id));
        at = wire_put_varint(at, build_id);
    }
    return at;
}

static size_t line_size(const struct otlp_encoder *e, const struct profile_line *line)
{
    return wire_field_size(e->dictionary.functions[line->function]) + wire_field_size((uint64_t)line->line) +
           wire_field_size((uint64_t)line->column);
}

static size_t measure_locations(struct otlp_encoder *e)
{
    const struct profile_locations *t = &e->profile->locations;
    size_t total = wire_bytes_size(0);
    for (uint32_t i = 1; i < t->count; i++) {
        const struct profile_location *l = &t->items[i];
        uint32_t frame_type = e->dictionary.frame_types[l->frame_type];
        if (!e->dictionary.locations[i]) continue;
        size_t size = wire_field_size(e->dictionary.mappings[l->mapping]) + wire_field_size(l->address) +
                      (frame_type ? wire_bytes_size(wire_varint_size(frame_type)) : 0);
        for (uint32_t k = 0; k < l->line_count; k++)
            size += wire_bytes_size(line_size(e, &t->lines[l->line_at + k]));
        e->sizes.locations[i] = (uint32_t)size;
        total += wire_bytes_size(size);
    }
    return total;
}

static uint8_t *put_locations(uint8_t *at, const struct otlp_encoder *e)
{
    const struct profile_locations *t = &e->profile->locations;
    at = put_zero_entry(at, TAG(ProfilesDictionary, location_table));
    for (uint32_t i = 1; i < t->count; i++) {
        const struct profile_location *l = &t->items[i];
        uint32_t frame_type = e->dictionary.frame_types[l->frame_type];
        if (!e->dictionary.locations[i]) continue;
        at = wire_put_head(at, TAG(ProfilesDictionary, location_table), e->sizes.locations[i]);
        at = wire_put_field(at, TAG(Location, mapping_index), e->dictionary.mappings[l->mapping]);
        at = wire_put_field(at, TAG(Location, address), l->address);
        for (uint32_t k = 0; k < l->line_count; k++) {
            const struct profile_line *line = &t->lines[l->line_at + k];
            at = wire_put_head(at, TAG(Location, lines), line_size(e, line));
            at = wire_put_field(at, TAG(Line, function_index), e->dictionary.functions[line->function]);
            at = wire_put_field(at, TAG(Line, line), (uint64_t)line->line);
            at = wire_put_field(at, TAG(Line, column), (uint64_t)line->column);
        }
        if (!frame_type) continue;
        at = wire_put_head(at, TAG(Location, attribute_indices), wire_varint_size(frame_type));
        at = wire_put_varint(at, frame_type);
    }
    return at;
}

static size_t function_size(const struct otlp_encoder *e, const struct profile_function *f)
{
    const uint32_t *strings = e->dictionary.strings;
    return wire_field_size(strings[f->name]) + wire_field_size(strings[f->system_name]) +
           wire_field_size(strings[f->filename]) + wire_field_size((uint64_t)f->start_line);
}

/* |next|: the number of the next entry; the others of its kind come before it. */
static int is_function(const struct otlp_encoder *e, uint32_t id, uint32_t next)
{
    return e->dictionary.functions[id] == next;
}

static size_t measure_functions(const struct otlp_encoder *e)
{
    size_t size = wire_bytes_size(0);
    uint32_t next = 1;
    for (uint32_t i = 1; i < e->profile->functions.count; i++) {
        if (!is_function(e, i, next)) continue;
        size += wire_bytes_size(function_size(e, &e->profile->functions.items[i]));
        next++;
    }
    return size;
}

static uint8_t *put_functions(uint8_t *at, const struct otlp_encoder *e)
{
    const uint32_t *strings = e->dictionary.strings;
    uint32_t next = 1;
    at = put_zero_entry(at, TAG(ProfilesDictionary, function_table));
    for (uint32_t i = 1; i < e->profile->functions.count; i++) {
        const struct profile_function *f = &e->profile->functions.items[i];
        if (!is_function(e, i, next)) continue;
        at = wire_put_head(at, TAG(ProfilesDictionary, function_table), function_size(e, f));
        at = wire_put_field(at, TAG(Function, name_strindex), strings[f->name]);
        at = wire_put_field(at, TAG(Function, system_name_strindex), strings[f->system_name]);
        at = wire_put_field(at, TAG(Function, filename_strindex), strings[f->filename]);
        at = wire_put_field(at, TAG(Function, start_line), (uint64_t)f->start_line);
        next++;
    }
    return at;
}

static size_t link_size(void)
{
    return wire_bytes_size(TRACE_ID_BYTES) + wire_bytes_size(SPAN_ID_BYTES);
}

static uint8_t *put_links(uint8_t *at)
{
    static const uint8_t zero[TRACE_ID_BYTES];
    at = wire_put_head(at, TAG(ProfilesDictionary, link_table), link_size());
    at = wire_put_bytes(at, TAG(Link, trace_id), zero, TRACE_ID_BYTES);
    return wire_put_bytes(at, TAG(Link, span_id), zero, SPAN_ID_BYTES);
}

static struct otlp_text string_at(const struct otlp_encoder *e, uint32_t id)
{
    const struct profile_strings *t = &e->profile->strings;
    if (id >= t->count) return e->dictionary.extras[id - t->count];
    return (struct otlp_text){t->bytes + t->items[id].at, t->items[id].length};
}

static uint32_t string_places(const struct otlp_encoder *e)
{
    return e->profile->strings.count + e->dictionary.extra_count;
}

static size_t measure_strings(const struct otlp_encoder *e)
{
    size_t size = wire_bytes_size(0);
    for (uint32_t i = 1; i < string_places(e); i++)
        if (e->dictionary.strings[i]) size += wire_bytes_size(string_at(e, i).len);
    return size;
}

static uint8_t *put_strings(uint8_t *at, const struct otlp_encoder *e)
{
    at = put_zero_entry(at, TAG(ProfilesDictionary, string_table));
    for (uint32_t i = 1; i < string_places(e); i++) {
        struct otlp_text string = string_at(e, i);
        if (e->dictionary.strings[i])
            at = wire_put_bytes(at, TAG(ProfilesDictionary, string_table), string.text, string.len);
    }
    return at;
}

static size_t attribute_size(const struct otlp_encoder *e, const struct otlp_attribute *a)
{
    return wire_field_size(e->dictionary.strings[a->key]) +
           wire_bytes_size(otlp_any_size(a->text, a->len, a->number));
}

static size_t measure_attributes(const struct otlp_encoder *e)
{
    size_t size = wire_bytes_size(0);
    for (uint32_t i = 1; i < e->dictionary.attribute_count; i++)
        size += wire_bytes_size(attribute_size(e, &e->dictionary.attributes[i]));
    return size;
}

static uint8_t *put_attributes(uint8_t *at, const struct otlp_encoder *e)
{
    at = put_zero_entry(at, TAG(ProfilesDictionary, attribute_table));
    for (uint32_t i = 1; i < e->dictionary.attribute_count; i++) {
        const struct otlp_attribute *a = &e->dictionary.attributes[i];
        at = wire_put_head(at, TAG(ProfilesDictionary, attribute_table), attribute_size(e, a));
        at = wire_put_field(at, TAG(KeyValueAndUnit, key_strindex), e->dictionary.strings[a->key]);
        at = otlp_put_any(at, TAG(KeyValueAndUnit, value), a->text, a->len, a->number);
    }
    return at;
}

/* A row of ids in a message of its own: nothing if there are none. */
static size_t stack_size(size_t row)
{
    return row ? wire_bytes_size(row) : 0;
}

static size_t measure_stacks(struct otlp_encoder *e)
{
    const struct profile_stacks *t = &e->profile->stacks;
    size_t total = wire_bytes_size(0);
    for (uint32_t i = 1; i < t->count; i++) {
        const struct profile_stack *s = &t->items[i];
        if (!e->dictionary.stacks[i]) continue;
        for (uint32_t k = 0; k < s->count; k++)
            e->sizes.row_ids[s->at + k] = e->dictionary.locations[t->locations[s->at + k]];
        e->sizes.stack_rows[i] = (uint32_t)id_row_size(e->sizes.row_ids + s->at, s->count);
        total += wire_bytes_size(stack_size(e->sizes.stack_rows[i]));
    }
    return total;
}

static uint8_t *put_stacks(uint8_t *at, const struct otlp_encoder *e)
{
    const struct profile_stacks *t = &e->profile->stacks;
    at = put_zero_entry(at, TAG(ProfilesDictionary, stack_table));
    for (uint32_t i = 1; i < t->count; i++) {
        const struct profile_stack *s = &t->items[i];
        size_t row = e->sizes.stack_rows[i];
        if (!e->dictionary.stacks[i]) continue;
        at = wire_put_head(at, TAG(ProfilesDictionary, stack_table), stack_size(row));
        if (row) at = wire_put_head(at, TAG(Stack, location_indices), row);
        at = id_row_put(at, e->sizes.row_ids + s->at, s->count, e->sizes.varints);
    }
    return at;
}

size_t otlp_tables_measure(struct otlp_encoder *e)
{
    return measure_mappings(e) + measure_locations(e) + measure_functions(e) + wire_bytes_size(link_size()) +
           measure_strings(e) + measure_attributes(e) + measure_stacks(e);
}

uint8_t *otlp_tables_put(uint8_t *at, const struct otlp_encoder *e)
{
    at = put_mappings(at, e);
    at = put_locations(at, e);
    at = put_functions(at, e);
    at = put_links(at);
    at = put_strings(at, e);
    at = put_attributes(at, e);
    return put_stacks(at, e);
}
