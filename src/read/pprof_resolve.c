// SPDX-License-Identifier: Apache-2.0
// Raw tables to the model: every id becomes an index, every string number a text, or the file is refused.
#include "pprof_raw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "idmap.h"

struct resolver {
    const struct pprof_raw *raw;
    struct read_profile *profile;
    struct read_error *error;
    struct read_idmap mappings, functions, locations;
    bool bad_string; // sticky, so that a row of texts is checked once
    uint64_t bad_number;
};

static int no_memory(struct resolver *resolver)
{
    return read_fail(resolver->error, ENOMEM, "no memory for its tables");
}

static int dangling(struct resolver *resolver, const char *from, const char *to, uint64_t id)
{
    return read_fail(resolver->error, EBADMSG,
                     "it is truncated or damaged: a %s refers to %s %" PRIu64
                     ", which is not in the file; copy or "
                     "record it again",
                     from, to, id);
}

// Memory for |count| rows; never NULL for 0 rows, so that NULL always means failure.
static void *rows(size_t count, size_t row_size)
{
    return calloc(count ? count : 1, row_size);
}

static struct read_text text(struct resolver *resolver, uint64_t number)
{
    const struct read_profile *profile = resolver->profile;
    if (number < profile->string_count) return profile->strings[number];
    if (number != 0 && !resolver->bad_string) {
        resolver->bad_string = true;
        resolver->bad_number = number;
    }
    return (struct read_text){"", 0};
}

static int strings(struct resolver *resolver)
{
    const struct raw_string *raw = resolver->raw->strings.rows;
    struct read_profile *profile = resolver->profile;
    size_t bytes = 0, count = resolver->raw->strings.count;
    for (size_t i = 0; i < count; i++) bytes += raw[i].size + 1;
    profile->strings = rows(count, sizeof *profile->strings);
    profile->string_bytes = malloc(bytes + 1);
    if (!profile->strings || !profile->string_bytes) return no_memory(resolver);
    char *at = profile->string_bytes;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, resolver->raw->data + raw[i].offset, raw[i].size);
        at[raw[i].size] = 0;
        profile->strings[i] = (struct read_text){at, raw[i].size};
        at += raw[i].size + 1;
    }
    profile->string_count = count;
    return 0;
}

static struct read_value_type value_type(struct resolver *resolver, const struct raw_value_type *raw)
{
    return (struct read_value_type){text(resolver, raw->type), text(resolver, raw->unit)};
}

static int header(struct resolver *resolver)
{
    const struct pprof_raw *raw = resolver->raw;
    struct read_profile *profile = resolver->profile;
    profile->types = rows(raw->types.count, sizeof *profile->types);
    profile->comments = rows(raw->comments.count, sizeof *profile->comments);
    if (!profile->types || !profile->comments) return no_memory(resolver);
    const struct raw_value_type *types = raw->types.rows;
    for (size_t i = 0; i < raw->types.count; i++) profile->types[i] = value_type(resolver, &types[i]);
    profile->type_count = raw->types.count;
    const uint64_t *comments = raw->comments.rows;
    for (size_t i = 0; i < raw->comments.count; i++) profile->comments[i] = text(resolver, comments[i]);
    profile->comment_count = raw->comments.count;
    profile->default_type = text(resolver, raw->default_type);
    profile->period_type = value_type(resolver, &raw->period_type);
    profile->period = raw->period;
    profile->time_nanos = raw->time_nanos;
    profile->duration_nanos = raw->duration_nanos;
    return 0;
}

// |first| is the id in the first row; ids stand |stride| bytes apart.
static int index_ids(struct resolver *resolver, const char *name, const void *first, size_t stride,
                     size_t count, struct read_idmap *map)
{
    if (count >= READ_NONE) return read_fail(resolver->error, EBADMSG, "it has too many rows of %s", name);
    map->ids = rows(count, sizeof *map->ids);
    if (!map->ids) return no_memory(resolver);
    map->count = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t id = *(const uint64_t *)((const char *)first + i * stride);
        if (id == 0)
            return read_fail(resolver->error, EBADMSG, "it is damaged: a %s has the id 0; record it again",
                             name);
        map->ids[i] = (struct read_id){id, (uint32_t)i};
    }
    uint64_t twice;
    if (read_idmap_build(map, &twice) != 0)
        return read_fail(resolver->error, EBADMSG,
                         "it is damaged: two rows of %s have the id %" PRIu64 "; record it again", name,
                         twice);
    return 0;
}

static int mappings(struct resolver *resolver)
{
    const struct raw_mapping *raw = resolver->raw->mappings.rows;
    struct read_profile *profile = resolver->profile;
    size_t count = resolver->raw->mappings.count;
    int failed = index_ids(resolver, "mapping", raw, sizeof *raw, count, &resolver->mappings);
    if (failed) return failed;
    profile->mappings = rows(count, sizeof *profile->mappings);
    if (!profile->mappings) return no_memory(resolver);
    for (size_t i = 0; i < count; i++)
        profile->mappings[i] =
            (struct read_mapping){raw[i].start, raw[i].limit, raw[i].offset, text(resolver, raw[i].file),
                                  text(resolver, raw[i].build_id)};
    profile->mapping_count = count;
    return 0;
}

static int functions(struct resolver *resolver)
{
    const struct raw_function *raw = resolver->raw->functions.rows;
    struct read_profile *profile = resolver->profile;
    size_t count = resolver->raw->functions.count;
    int failed = index_ids(resolver, "function", raw, sizeof *raw, count, &resolver->functions);
    if (failed) return failed;
    profile->functions = rows(count, sizeof *profile->functions);
    if (!profile->functions) return no_memory(resolver);
    for (size_t i = 0; i < count; i++)
        profile->functions[i] =
            (struct read_function){text(resolver, raw[i].name), text(resolver, raw[i].system_name),
                                   text(resolver, raw[i].file), raw[i].start_line};
    profile->function_count = count;
    return 0;
}

// A line without a function says nothing; some writers put it for a frame they could not name. A location
// that keeps no line is named by its address.
static int location_lines(struct resolver *resolver, const struct raw_location *raw,
                          struct read_location *location)
{
    const struct raw_line *lines = (const struct raw_line *)resolver->raw->lines.rows;
    struct read_profile *profile = resolver->profile;
    location->first_line = profile->line_count;
    for (size_t i = raw->first_line; i < raw->first_line + raw->line_count; i++) {
        if (lines[i].function_id == 0) continue;
        uint32_t function = read_idmap_find(&resolver->functions, lines[i].function_id);
        if (function == READ_NONE) return dangling(resolver, "location", "function", lines[i].function_id);
        profile->lines[profile->line_count++] = (struct read_line){function, lines[i].line, lines[i].column};
    }
    location->line_count = (uint32_t)(profile->line_count - location->first_line);
    return 0;
}

static int locations(struct resolver *resolver)
{
    const struct raw_location *raw = resolver->raw->locations.rows;
    struct read_profile *profile = resolver->profile;
    size_t count = resolver->raw->locations.count;
    int failed = index_ids(resolver, "location", raw, sizeof *raw, count, &resolver->locations);
    if (failed) return failed;
    profile->locations = rows(count, sizeof *profile->locations);
    profile->lines = rows(resolver->raw->lines.count, sizeof *profile->lines);
    if (!profile->locations || !profile->lines) return no_memory(resolver);
    for (size_t i = 0; i < count; i++) {
        struct read_location *location = &profile->locations[i];
        location->address = raw[i].address;
        // A mapping that is not there is no reason to refuse the file: Go's reader drops the reference as
        // well.
        location->mapping = read_idmap_find(&resolver->mappings, raw[i].mapping_id);
        failed = location_lines(resolver, &raw[i], location);
        if (failed) return failed;
    }
    profile->location_count = count;
    return 0;
}

static int stacks(struct resolver *resolver)
{
    struct read_profile *profile = resolver->profile;
    const uint64_t *ids = resolver->raw->location_ids.rows;
    size_t count = resolver->raw->location_ids.count;
    profile->stack = rows(count, sizeof *profile->stack);
    if (!profile->stack) return no_memory(resolver);
    for (size_t i = 0; i < count; i++) {
        profile->stack[i] = read_idmap_find(&resolver->locations, ids[i]);
        if (profile->stack[i] == READ_NONE) return dangling(resolver, "sample", "location", ids[i]);
    }
    return 0;
}

static int labels(struct resolver *resolver)
{
    const struct raw_label *raw = resolver->raw->labels.rows;
    struct read_profile *profile = resolver->profile;
    size_t count = resolver->raw->labels.count;
    profile->labels = rows(count, sizeof *profile->labels);
    if (!profile->labels) return no_memory(resolver);
    for (size_t i = 0; i < count; i++) {
        struct read_label *label = &profile->labels[i];
        label->key = text(resolver, raw[i].key);
        label->is_number = raw[i].text == 0;
        label->text = text(resolver, raw[i].text);
        label->number = raw[i].number;
        label->unit = text(resolver, raw[i].unit);
    }
    return 0;
}

static int samples(struct resolver *resolver)
{
    const struct raw_sample *raw = resolver->raw->samples.rows;
    const int64_t *values = resolver->raw->values.rows;
    struct read_profile *profile = resolver->profile;
    size_t count = resolver->raw->samples.count, types = profile->type_count;
    if (count && !types)
        return read_fail(resolver->error, EBADMSG,
                         "it has samples but no sample type; it is damaged or truncated, record it again");
    // Checked first: from here on there is one value per sample and type in the file, so the product cannot
    // overflow.
    for (size_t i = 0; i < count; i++)
        if (raw[i].value_count != types)
            return read_fail(resolver->error, EBADMSG,
                             "sample %zu has %zu values for %zu sample types; it is damaged, record it again",
                             i + 1, raw[i].value_count, types);
    profile->samples = rows(count, sizeof *profile->samples);
    profile->values = rows(count * types, sizeof *profile->values);
    if (!profile->samples || !profile->values) return no_memory(resolver);
    for (size_t i = 0; i < count; i++) {
        struct read_sample *sample = &profile->samples[i];
        sample->first_location = raw[i].first_location;
        sample->location_count = (uint32_t)raw[i].location_count;
        sample->first_label = raw[i].first_label;
        sample->label_count = (uint32_t)raw[i].label_count;
        memcpy(profile->values + i * types, values + raw[i].first_value, types * sizeof *values);
    }
    profile->sample_count = count;
    return 0;
}

int pprof_raw_resolve(const struct pprof_raw *raw, struct read_profile **profile, struct read_error *error)
{
    struct resolver resolver = {.raw = raw, .profile = calloc(1, sizeof **profile), .error = error};
    if (!resolver.profile) return no_memory(&resolver);
    int (*const steps[])(struct resolver *) = {strings,   header, mappings, functions,
                                               locations, stacks, labels,   samples};
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof steps / sizeof *steps; i++) failed = steps[i](&resolver);
    free(resolver.mappings.ids);
    free(resolver.functions.ids);
    free(resolver.locations.ids);
    if (!failed && resolver.bad_string)
        failed = dangling(&resolver, "message", "string", resolver.bad_number);
    if (failed) {
        read_profile_free(resolver.profile);
        return failed;
    }
    *profile = resolver.profile;
    return 0;
}
