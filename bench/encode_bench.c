/*
 * pprof and OTLP encoding and gzip at the size of the budget (10,000 samples x 32 frames, 20,000 locations,
 * 20,000 functions; pprof <= 2 ms, OTLP <= 4 ms). Beside it the pprof message by nanopb in its ordinary way,
 * a callback a table, which is why src/encode/wire.h exists; both must give messages of one size.
 *
 * Prints one line a case: median, minimum and maximum of the rounds in milliseconds.
 */
#include <pb_encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/gzip.h"
#include "encode/otlp.h"
#include "encode/pprof.h"
#include "pprof.pb.h"
#include "sys/clock.h"

enum { SAMPLES = 10000, FRAMES = 32, LOCATIONS = 20000, ROUNDS = 41 };

static const struct profile_kind cpu = {
    "cpu", 2, {{"samples", "count"}, {"cpu", "nanoseconds"}}, {"cpu", "nanoseconds"}};

static uint32_t next_random(void)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static uint32_t add_text(struct profile *p, const char *format, unsigned n)
{
    char text[128];
    int len = snprintf(text, sizeof text, format, n);
    return profile_string(p, text, (size_t)len);
}

static struct profile *make_profile(void)
{
    struct profile *p = profile_create(&cpu, 10000000);
    static uint32_t locations[LOCATIONS];
    if (!p) abort();
    p->time_nanos = 1767225600000000000;
    p->duration_nanos = 10 * NANOS_PER_SECOND;
    uint32_t mapping = profile_mapping(p, 0x400000, 0x8000000, 0, add_text(p, "/usr/bin/service%u", 1), 0);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        uint32_t name = add_text(p, "namespace::component::Class::method_number_%u", i);
        uint32_t file = add_text(p, "/home/build/project/src/component/file_%u.cc", i / 20);
        struct profile_line line = {profile_function(p, name, name, file, i % 900 + 1, 0), i % 1000 + 1, 0};
        locations[i] = profile_location(p, mapping, 0x400000 + (uint64_t)i * 64, &line, 1);
    }
    uint32_t key = add_text(p, "thread%u", 0);
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint32_t frames[FRAMES];
        for (unsigned k = 0; k < FRAMES; k++) frames[k] = locations[next_random() % LOCATIONS];
        struct profile_label label = {key, add_text(p, "worker-%u", i % 16), 0};
        int64_t values[] = {1 + i % 7, (1 + i % 7) * 10000000LL};
        profile_add(p, profile_stack(p, frames, FRAMES), profile_labels(p, &label, 1), values);
    }
    return p;
}

/* --- nanopb in its ordinary way
 * ---------------------------------------------------------------------------------- */

struct cursor {
    const struct profile *profile;
    uint32_t at;
};

static bool packed_size(pb_ostream_t *stream, const pb_field_t *field, size_t size)
{
    return pb_encode_tag(stream, PB_WT_STRING, field->tag) && pb_encode_varint(stream, size);
}

static bool nanopb_locations_of(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct cursor *c = *arg;
    const struct profile_stack *s = &c->profile->stacks.items[c->profile->samples.items[c->at].stack];
    const uint32_t *ids = c->profile->stacks.locations + s->at;
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    for (uint32_t i = 0; i < s->count; i++) pb_encode_varint(&sizing, ids[i]);
    if (!packed_size(stream, field, sizing.bytes_written)) return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (!pb_encode_varint(stream, ids[i])) return false;
    return true;
}

static bool nanopb_values_of(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct cursor *c = *arg;
    const int64_t *values = profile_sample_values(c->profile, c->at);
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    for (unsigned i = 0; i < 2; i++) pb_encode_varint(&sizing, (uint64_t)values[i]);
    return packed_size(stream, field, sizing.bytes_written) &&
           pb_encode_varint(stream, (uint64_t)values[0]) && pb_encode_varint(stream, (uint64_t)values[1]);
}

static bool nanopb_labels_of(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct cursor *c = *arg;
    const struct profile_label_set *set =
        &c->profile->label_sets.items[c->profile->samples.items[c->at].labels];
    for (uint32_t i = 0; i < set->count; i++) {
        const struct profile_label *l = &c->profile->label_sets.labels[set->at + i];
        perftools_profiles_Label label = {.key = l->key, .str = l->text, .num = l->number};
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_Label_fields, &label))
            return false;
    }
    return true;
}

static bool nanopb_samples(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    struct cursor c = {*arg, 0};
    for (; c.at < c.profile->samples.count; c.at++) {
        perftools_profiles_Sample sample = {.location_id = {{.encode = nanopb_locations_of}, &c},
                                            .value = {{.encode = nanopb_values_of}, &c},
                                            .label = {{.encode = nanopb_labels_of}, &c}};
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_Sample_fields, &sample))
            return false;
    }
    return true;
}

static bool nanopb_lines_of(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct cursor *c = *arg;
    const struct profile_location *l = &c->profile->locations.items[c->at];
    for (uint32_t i = 0; i < l->line_count; i++) {
        const struct profile_line *line = &c->profile->locations.lines[l->line_at + i];
        perftools_profiles_Line message = {line->function, line->line, line->column};
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_Line_fields, &message))
            return false;
    }
    return true;
}

static bool nanopb_locations(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    struct cursor c = {*arg, 1};
    for (; c.at < c.profile->locations.count; c.at++) {
        const struct profile_location *l = &c.profile->locations.items[c.at];
        perftools_profiles_Location location = {.id = c.at,
                                                .mapping_id = l->mapping,
                                                .address = l->address,
                                                .line = {{.encode = nanopb_lines_of}, &c}};
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_Location_fields, &location))
            return false;
    }
    return true;
}

static bool nanopb_functions(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct profile *p = *arg;
    for (uint32_t i = 1; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        perftools_profiles_Function function = {i, f->name, f->system_name, f->filename, f->start_line};
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_submessage(stream, perftools_profiles_Function_fields, &function))
            return false;
    }
    return true;
}

static bool nanopb_strings(pb_ostream_t *stream, const pb_field_t *field, void *const *arg)
{
    const struct profile *p = *arg;
    for (uint32_t i = 0; i < p->strings.count; i++)
        if (!pb_encode_tag_for_field(stream, field) ||
            !pb_encode_string(stream, (const pb_byte_t *)p->strings.bytes + p->strings.items[i].at,
                              p->strings.items[i].length))
            return false;
    return true;
}

/* The four large tables only: those that wire.h writes. */
static size_t nanopb_tables(const struct profile *p, struct encode_buffer *out)
{
    void *arg = (void *)(uintptr_t)p;
    perftools_profiles_Profile message = {.sample = {{.encode = nanopb_samples}, arg},
                                          .location = {{.encode = nanopb_locations}, arg},
                                          .function = {{.encode = nanopb_functions}, arg},
                                          .string_table = {{.encode = nanopb_strings}, arg}};
    pb_ostream_t stream = pb_ostream_from_buffer(out->data, out->cap);
    return pb_encode(&stream, perftools_profiles_Profile_fields, &message) ? stream.bytes_written : 0;
}

/* --- measuring
 * --------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, int64_t *nanos, unsigned rounds, size_t bytes)
{
    qsort(nanos, rounds, sizeof *nanos, compare);
    printf("%-34s median %7.3f  min %7.3f  max %7.3f ms  %zu bytes\n", name, (double)nanos[rounds / 2] / 1e6,
           (double)nanos[0] / 1e6, (double)nanos[rounds - 1] / 1e6, bytes);
}

static int bench_otlp(const struct profile *p)
{
    int64_t nanos[ROUNDS];
    struct otlp_request request = {.profile = p, .end = p->samples.count};
    struct encode_buffer out = {0}, zipped = {0};
    for (int i = 0; i < ROUNDS; i++) {
        out.size = 0;
        int64_t start = clock_monotonic();
        if (otlp_encode(&request, &out)) return -1;
        nanos[i] = clock_monotonic() - start;
    }
    report("otlp_encode, warm buffer", nanos, ROUNDS, out.size);
    for (int i = 0; i < ROUNDS; i++) {
        zipped.size = 0;
        int64_t start = clock_monotonic();
        if (gzip_compress(out.data, out.size, GZIP_LEVEL, &zipped)) return -1;
        nanos[i] = clock_monotonic() - start;
    }
    report("gzip_compress level 1", nanos, ROUNDS, zipped.size);
    encode_buffer_free(&out);
    encode_buffer_free(&zipped);
    return 0;
}

int main(void)
{
    int64_t nanos[ROUNDS];
    struct encode_buffer warm = {0}, zipped = {0};
    int64_t start = clock_monotonic();
    struct profile *p = make_profile();
    nanos[0] = clock_monotonic() - start;
    report("build the model (once)", nanos, 1, p->bytes);
    start = clock_monotonic();
    if (profile_seal(p)) return 1;
    nanos[0] = clock_monotonic() - start;
    report("seal (once)", nanos, 1, p->bytes);
    for (int i = 0; i < ROUNDS; i++) {
        struct encode_buffer out = {0};
        start = clock_monotonic();
        if (pprof_encode(p, &out)) return 1;
        nanos[i] = clock_monotonic() - start;
        encode_buffer_free(&out);
    }
    report("pprof_encode, new pages", nanos, ROUNDS, 0);
    for (int i = 0; i < ROUNDS; i++) {
        warm.size = 0;
        start = clock_monotonic();
        if (pprof_encode(p, &warm)) return 1;
        nanos[i] = clock_monotonic() - start;
    }
    report("pprof_encode, warm buffer", nanos, ROUNDS, warm.size);
    struct encode_buffer other = {0};
    size_t size = 0;
    if (encode_buffer_reserve(&other, warm.size * 2)) return 1;
    for (int i = 0; i < ROUNDS; i++) {
        start = clock_monotonic();
        size = nanopb_tables(p, &other);
        nanos[i] = clock_monotonic() - start;
    }
    report("nanopb callbacks, tables only", nanos, ROUNDS, size);
    for (int i = 0; i < ROUNDS; i++) {
        zipped.size = 0;
        start = clock_monotonic();
        if (gzip_compress(warm.data, warm.size, GZIP_LEVEL, &zipped)) return 1;
        nanos[i] = clock_monotonic() - start;
    }
    report("gzip_compress level 1", nanos, ROUNDS, zipped.size);
    encode_buffer_free(&warm);
    encode_buffer_free(&other);
    encode_buffer_free(&zipped);
    int rc = bench_otlp(p);
    profile_destroy(p);
    return size && !rc ? 0 : 1;
}
