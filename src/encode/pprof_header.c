#include "encode/pprof_header.h"

#include <errno.h>
#include <pb_encode.h>

#include "pprof.pb.h"
#include "sys/heap.h"

/* What the callbacks get. */
struct header {
    const struct profile *profile;
    perftools_profiles_Mapping *mappings; /* profile->mappings.count, [0] unused */
};

static bool encode_value_types(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct header *h = *arg;
    for (unsigned i = 0; i < h->profile->kind->value_count; i++) {
        perftools_profiles_ValueType type = {h->profile->types[i].type, h->profile->types[i].unit};
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_ValueType_fields, &type))
            return false;
    }
    return true;
}

static bool encode_mappings(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct header *h = *arg;
    for (uint32_t i = 1; i < h->profile->mappings.count; i++)
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_Mapping_fields, &h->mappings[i]))
            return false;
    return true;
}

/* Packed, as proto3 has it; nanopb leaves the size of a packed callback field to the callback. */
static bool encode_comments(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct profile *p = ((const struct header *)*arg)->profile;
    if (!p->comment_count) return true;
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    for (uint32_t i = 0; i < p->comment_count; i++)
        if (!pb_encode_varint(&sizing, p->comments[i])) return false;
    if (!pb_encode_tag(stream, PB_WT_STRING, field->tag) || !pb_encode_varint(stream, sizing.bytes_written))
        return false;
    for (uint32_t i = 0; i < p->comment_count; i++)
        if (!pb_encode_varint(stream, p->comments[i])) return false;
    return true;
}

/* Takes from |m| what location |l| of it lacks. */
static void withdraw_flags(const struct profile *p, const struct profile_location *l,
                           perftools_profiles_Mapping *m)
{
    if (!l->line_count) m->has_functions = m->has_filenames = m->has_line_numbers = false;
    if (l->line_count > 1) m->has_inline_frames = true;
    for (uint32_t k = 0; k < l->line_count; k++) {
        const struct profile_line *line = &p->locations.lines[l->line_at + k];
        const struct profile_function *f = &p->functions.items[line->function];
        if (!f->name) m->has_functions = false;
        if (!f->filename) m->has_filenames = false;
        if (!line->line) m->has_line_numbers = false;
    }
}

static void fill_mappings(const struct profile *p, perftools_profiles_Mapping *mappings)
{
    for (uint32_t i = 1; i < p->mappings.count; i++) {
        const struct profile_mapping *m = &p->mappings.items[i];
        mappings[i] = (perftools_profiles_Mapping){
            .id = i,
            .memory_start = m->start,
            .memory_limit = m->limit,
            .file_offset = m->offset,
            .filename = m->filename,
            .build_id = m->build_id,
        };
    }
    /* A mapping without locations (the main binary, kept for its place) claims nothing. */
    for (uint32_t i = 1; i < p->locations.count; i++) {
        perftools_profiles_Mapping *m = &mappings[p->locations.items[i].mapping];
        m->has_functions = m->has_filenames = m->has_line_numbers = true;
    }
    for (uint32_t i = 1; i < p->locations.count; i++)
        withdraw_flags(p, &p->locations.items[i], &mappings[p->locations.items[i].mapping]);
    for (uint32_t i = 1; i < p->mappings.count; i++)
        mappings[i].has_inline_frames = mappings[i].has_inline_frames && mappings[i].has_functions;
}

int pprof_header_encode(const struct profile *p, struct encode_buffer *out)
{
    struct header h = {p, heap_zalloc(p->mappings.count, sizeof *h.mappings)};
    if (!h.mappings) return -ENOMEM;
    fill_mappings(p, h.mappings);
    perftools_profiles_Profile message = {
        .sample_type = {{.encode = encode_value_types}, &h},
        .mapping = {{.encode = encode_mappings}, &h},
        .comment = {{.encode = encode_comments}, &h},
        .time_nanos = p->time_nanos,
        .duration_nanos = p->duration_nanos,
        .has_period_type = true,
        .period_type = {p->period_type.type, p->period_type.unit},
        .period = p->period,
        .default_sample_type = p->types[p->kind->value_count - 1].type,
    };
    size_t size = 0;
    int rc = -ENOMEM;
    if (pb_get_encoded_size(&size, perftools_profiles_Profile_fields, &message) &&
        !encode_buffer_reserve(out, size)) {
        pb_ostream_t stream = pb_ostream_from_buffer(out->data + out->size, size);
        if (pb_encode(&stream, perftools_profiles_Profile_fields, &message)) {
            out->size += stream.bytes_written;
            rc = 0;
        }
    }
    heap_free(h.mappings);
    return rc;
}
