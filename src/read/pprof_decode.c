// SPDX-License-Identifier: Apache-2.0
// Protobuf to raw tables. The fields are walked with nanopb's stream functions instead of a generated
// descriptor: each wire type is checked, packed and unpacked numbers take one path, and a million samples
// cost no callback each.
#include "pprof_raw.h"

#include <errno.h>
#include <pb_decode.h>

#include "pprof.pb.h"

#define TAG(message, field) perftools_profiles_##message##_##field##_tag
// One more than the highest field number of a message that has only numbers (Mapping.has_inline_frames = 10).
#define SCALARS 11

struct decoder {
    struct pprof_raw *raw;
    struct read_error *error;
    size_t at; // offset of the field of Profile that is being read
};

static int damaged(const struct decoder *decoder, const char *message, const char *cause)
{
    return read_fail(
        decoder->error, EBADMSG,
        "it is not a pprof profile, or a damaged or truncated one (%s at byte %zu: %s); copy or record "
        "it again",
        message, decoder->at, cause);
}

static int no_memory(const struct decoder *decoder)
{
    return read_fail(decoder->error, ENOMEM, "its tables need too much memory (more than %zu MiB)",
                     PPROF_RAW_BUDGET >> 20);
}

#define ADD(decoder, table, type)                                                                            \
    ((type *)read_table_add(&(decoder)->raw->table, sizeof(type), &(decoder)->raw->budget))

// The next field of |message|: 1 and its number and wire type, 0 at the end, or an error.
static int next_field(const struct decoder *decoder, const char *message, pb_istream_t *in,
                      pb_wire_type_t *wire, uint32_t *tag)
{
    bool end;
    if (!pb_decode_tag(in, wire, tag, &end)) return end ? 0 : damaged(decoder, message, PB_GET_ERROR(in));
    return *tag ? 1 : damaged(decoder, message, "field number 0");
}

static int skip(const struct decoder *decoder, const char *message, pb_istream_t *in, pb_wire_type_t wire)
{
    return pb_skip_field(in, wire) ? 0 : damaged(decoder, message, PB_GET_ERROR(in));
}

static int number(const struct decoder *decoder, const char *message, pb_istream_t *in, pb_wire_type_t wire,
                  uint64_t *value)
{
    if (wire != PB_WT_VARINT) return damaged(decoder, message, "a number of another wire type");
    return pb_decode_varint(in, value) ? 0 : damaged(decoder, message, PB_GET_ERROR(in));
}

// Makes |inner| the bytes of a nested message or text and moves |in| behind them at once, so that nobody has
// to close it.
static int nested(const struct decoder *decoder, const char *message, pb_istream_t *in, pb_wire_type_t wire,
                  pb_istream_t *inner)
{
    if (wire != PB_WT_STRING) return damaged(decoder, message, "a message or text of another wire type");
    if (!pb_make_string_substream(in, inner)) return damaged(decoder, message, "it ends too early");
    pb_istream_t rest = *inner;
    return pb_close_string_substream(in, &rest) ? 0 : damaged(decoder, message, PB_GET_ERROR(in));
}

// Reads a message that has only numbers into |fields|, indexed by field number.
static int scalars(const struct decoder *decoder, const char *message, pb_istream_t *in, pb_wire_type_t outer,
                   uint64_t fields[SCALARS])
{
    pb_istream_t inner;
    pb_wire_type_t wire;
    uint32_t tag;
    int failed = nested(decoder, message, in, outer, &inner), more = 0;
    while (!failed && (more = next_field(decoder, message, &inner, &wire, &tag)) > 0)
        failed = tag < SCALARS ? number(decoder, message, &inner, wire, &fields[tag])
                               : skip(decoder, message, &inner, wire);
    return failed ? failed : more;
}

// Appends a repeated number, packed or not, to |table|.
static int numbers(struct decoder *decoder, const char *message, pb_istream_t *in, pb_wire_type_t wire,
                   struct read_table *table)
{
    pb_istream_t inner = *in;
    int failed = 0;
    if (wire == PB_WT_STRING) {
        failed = nested(decoder, message, in, wire, &inner);
        in = &inner;
    }
    while (!failed && (wire != PB_WT_STRING || in->bytes_left)) {
        uint64_t value = 0;
        failed = number(decoder, message, in, wire == PB_WT_STRING ? PB_WT_VARINT : wire, &value);
        if (failed) break;
        uint64_t *row = read_table_add(table, sizeof *row, &decoder->raw->budget);
        if (!row) return no_memory(decoder);
        *row = value;
        if (wire != PB_WT_STRING) break;
    }
    return failed;
}

static int value_type(const struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire,
                      struct raw_value_type *type)
{
    uint64_t fields[SCALARS] = {0};
    int failed = scalars(decoder, "ValueType", in, wire, fields);
    if (failed) return failed;
    type->type = fields[TAG(ValueType, type)];
    type->unit = fields[TAG(ValueType, unit)];
    return 0;
}

static int sample_type(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    struct raw_value_type *type = ADD(decoder, types, struct raw_value_type);
    return type ? value_type(decoder, in, wire, type) : no_memory(decoder);
}

static int label(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    uint64_t fields[SCALARS] = {0};
    int failed = scalars(decoder, "Label", in, wire, fields);
    if (failed) return failed;
    struct raw_label *row = ADD(decoder, labels, struct raw_label);
    if (!row) return no_memory(decoder);
    row->key = fields[TAG(Label, key)];
    row->text = fields[TAG(Label, str)];
    row->number = (int64_t)fields[TAG(Label, num)];
    row->unit = fields[TAG(Label, num_unit)];
    return 0;
}

static int sample(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t outer)
{
    struct pprof_raw *raw = decoder->raw;
    struct raw_sample row = {.first_location = raw->location_ids.count,
                             .first_value = raw->values.count,
                             .first_label = raw->labels.count};
    pb_istream_t inner;
    pb_wire_type_t wire;
    uint32_t tag;
    int failed = nested(decoder, "Sample", in, outer, &inner), more = 0;
    while (!failed && (more = next_field(decoder, "Sample", &inner, &wire, &tag)) > 0) {
        if (tag == TAG(Sample, location_id))
            failed = numbers(decoder, "Sample", &inner, wire, &raw->location_ids);
        else if (tag == TAG(Sample, value))
            failed = numbers(decoder, "Sample", &inner, wire, &raw->values);
        else if (tag == TAG(Sample, label))
            failed = label(decoder, &inner, wire);
        else
            failed = skip(decoder, "Sample", &inner, wire);
    }
    if (failed || more) return failed ? failed : more;
    row.location_count = raw->location_ids.count - row.first_location;
    row.value_count = raw->values.count - row.first_value;
    row.label_count = raw->labels.count - row.first_label;
    struct raw_sample *added = ADD(decoder, samples, struct raw_sample);
    if (!added) return no_memory(decoder);
    *added = row;
    return 0;
}

static int mapping(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    uint64_t fields[SCALARS] = {0};
    int failed = scalars(decoder, "Mapping", in, wire, fields);
    if (failed) return failed;
    struct raw_mapping *row = ADD(decoder, mappings, struct raw_mapping);
    if (!row) return no_memory(decoder);
    row->id = fields[TAG(Mapping, id)];
    row->start = fields[TAG(Mapping, memory_start)];
    row->limit = fields[TAG(Mapping, memory_limit)];
    row->offset = fields[TAG(Mapping, file_offset)];
    row->file = fields[TAG(Mapping, filename)];
    row->build_id = fields[TAG(Mapping, build_id)];
    return 0;
}

static int line(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    uint64_t fields[SCALARS] = {0};
    int failed = scalars(decoder, "Line", in, wire, fields);
    if (failed) return failed;
    struct raw_line *row = ADD(decoder, lines, struct raw_line);
    if (!row) return no_memory(decoder);
    row->function_id = fields[TAG(Line, function_id)];
    row->line = (int64_t)fields[TAG(Line, line)];
    row->column = (int64_t)fields[TAG(Line, column)];
    return 0;
}

static int location(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t outer)
{
    struct raw_location row = {.first_line = decoder->raw->lines.count};
    pb_istream_t inner;
    pb_wire_type_t wire;
    uint32_t tag;
    int failed = nested(decoder, "Location", in, outer, &inner), more = 0;
    while (!failed && (more = next_field(decoder, "Location", &inner, &wire, &tag)) > 0) {
        if (tag == TAG(Location, id))
            failed = number(decoder, "Location", &inner, wire, &row.id);
        else if (tag == TAG(Location, mapping_id))
            failed = number(decoder, "Location", &inner, wire, &row.mapping_id);
        else if (tag == TAG(Location, address))
            failed = number(decoder, "Location", &inner, wire, &row.address);
        else if (tag == TAG(Location, line))
            failed = line(decoder, &inner, wire);
        else
            failed = skip(decoder, "Location", &inner, wire);
    }
    if (failed || more) return failed ? failed : more;
    row.line_count = decoder->raw->lines.count - row.first_line;
    struct raw_location *added = ADD(decoder, locations, struct raw_location);
    if (!added) return no_memory(decoder);
    *added = row;
    return 0;
}

static int function(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    uint64_t fields[SCALARS] = {0};
    int failed = scalars(decoder, "Function", in, wire, fields);
    if (failed) return failed;
    struct raw_function *row = ADD(decoder, functions, struct raw_function);
    if (!row) return no_memory(decoder);
    row->id = fields[TAG(Function, id)];
    row->name = fields[TAG(Function, name)];
    row->system_name = fields[TAG(Function, system_name)];
    row->file = fields[TAG(Function, filename)];
    row->start_line = (int64_t)fields[TAG(Function, start_line)];
    return 0;
}

static int string(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    pb_istream_t inner;
    int failed = nested(decoder, "string_table", in, wire, &inner);
    if (failed) return failed;
    if (decoder->raw->strings.count == 0 && inner.bytes_left)
        return damaged(decoder, "string_table", "its first entry is not empty");
    struct raw_string *row = ADD(decoder, strings, struct raw_string);
    if (!row) return no_memory(decoder);
    row->offset = decoder->raw->size - in->bytes_left - inner.bytes_left;
    row->size = inner.bytes_left;
    return 0;
}

static int time_nanos(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire)
{
    // Files are sometimes concatenated with cat(1); protobuf would read that as one profile with mixed-up
    // ids.
    if (decoder->raw->time_nanos)
        return read_fail(
            decoder->error, EBADMSG,
            "it holds several profiles one after the other; give otelprof each as a file of its own");
    return number(decoder, "time_nanos", in, wire, (uint64_t *)&decoder->raw->time_nanos);
}

static int profile_field(struct decoder *decoder, pb_istream_t *in, pb_wire_type_t wire, uint32_t tag)
{
    struct pprof_raw *raw = decoder->raw;
    switch (tag) {
    case TAG(Profile, sample_type):
        return sample_type(decoder, in, wire);
    case TAG(Profile, sample):
        return sample(decoder, in, wire);
    case TAG(Profile, mapping):
        return mapping(decoder, in, wire);
    case TAG(Profile, location):
        return location(decoder, in, wire);
    case TAG(Profile, function):
        return function(decoder, in, wire);
    case TAG(Profile, string_table):
        return string(decoder, in, wire);
    case TAG(Profile, time_nanos):
        return time_nanos(decoder, in, wire);
    case TAG(Profile, duration_nanos):
        return number(decoder, "duration_nanos", in, wire, (uint64_t *)&raw->duration_nanos);
    case TAG(Profile, period_type):
        return value_type(decoder, in, wire, &raw->period_type);
    case TAG(Profile, period):
        return number(decoder, "period", in, wire, (uint64_t *)&raw->period);
    case TAG(Profile, comment):
        return numbers(decoder, "comment", in, wire, &raw->comments);
    case TAG(Profile, default_sample_type):
        return number(decoder, "default_sample_type", in, wire, &raw->default_type);
    default:
        return skip(decoder, "Profile", in, wire);
    }
}

int pprof_raw_decode(struct pprof_raw *raw, const uint8_t *data, size_t size, struct read_error *error)
{
    raw->data = data;
    raw->size = size;
    raw->budget = PPROF_RAW_BUDGET;
    struct decoder decoder = {.raw = raw, .error = error};
    pb_istream_t in = pb_istream_from_buffer(data, size);
    pb_wire_type_t wire;
    uint32_t tag;
    int failed = 0, more = 0;
    while (!failed && (more = next_field(&decoder, "Profile", &in, &wire, &tag)) > 0) {
        failed = profile_field(&decoder, &in, wire, tag);
        decoder.at = size - in.bytes_left;
    }
    return failed ? failed : more;
}

void pprof_raw_free(struct pprof_raw *raw)
{
    struct read_table *tables[] = {&raw->types,     &raw->mappings, &raw->functions,   &raw->lines,
                                   &raw->locations, &raw->labels,   &raw->samples,     &raw->strings,
                                   &raw->values,    &raw->comments, &raw->location_ids};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) read_table_free(tables[i]);
}
