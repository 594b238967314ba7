/*
 * pprof messages and gzip, read back by others: nanopb's decoder, protoc, zlib. The rules checked on every
 * message are those of the strictest readers: Parca (pkg/normalizer/validate.go: ids are index + 1, label
 * keys not 0, references in range) and google/pprof (profile.CheckValid: one value a type; string_table[0] is
 * "").
 */
#include <check.h>
#include <pb_decode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "encode/gzip.h"
#include "encode/id_row.h"
#include "encode/pprof.h"
#include "encode/wire.h"
#include "pprof.pb.h"

static const struct profile_kind cpu = {
    "cpu", 2, {{"samples", "count"}, {"cpu", "nanoseconds"}}, {"cpu", "nanoseconds"}};

static uint32_t text(struct profile *p, const char *s)
{
    return profile_string(p, s, strlen(s));
}

static uint32_t location_named(struct profile *p, uint32_t mapping, uint64_t address, const char *name,
                               const char *file, int64_t line)
{
    struct profile_line l = {
        profile_function(p, text(p, name), text(p, name), text(p, file), line ? line - 1 : 0, 0), line, 0};
    return profile_location(p, mapping, address, &l, 1);
}

/* Native code with and without names, inlining, JavaScript, synthetic frames, both kinds of labels. */
static struct profile *rich_profile(void)
{
    struct profile *p = profile_create(&cpu, 10000000);
    p->time_nanos = 1767225600123000000;
    p->duration_nanos = 10000000000;
    /* In this order, which arguments of a call need not be evaluated in. */
    static const char *const names[] = {
        "/usr/bin/node", "cafe01", "/lib/libc.so.6", "inner",       "_Z5innerv", "node.cc", "outer",
        "_Z5outerv",     "handle", "/app/server.js", "[truncated]", "thread",    "main",    "tid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) text(p, names[i]);
    uint32_t node =
        profile_mapping(p, 0x400000, 0x900000, 0x1000, text(p, "/usr/bin/node"), text(p, "cafe01"));
    uint32_t libc = profile_mapping(p, 0x7f0000000000, 0x7f0000200000, 0, text(p, "/lib/libc.so.6"), 0);
    uint32_t plain = profile_location(p, libc, 0x7f0000001234, NULL, 0);
    uint32_t native = profile_location(p, node, 0x401000, NULL, 0);
    struct profile_line inlined[] = {
        {profile_function(p, text(p, "inner"), text(p, "_Z5innerv"), text(p, "node.cc"), 9, 0), 11, 0},
        {profile_function(p, text(p, "outer"), text(p, "_Z5outerv"), text(p, "node.cc"), 20, 0), 22, 0}};
    profile_location_set_lines(p, native, inlined, 2);
    uint32_t js = location_named(p, 0, 0x3fff00001000, "handle", "/app/server.js", 42);
    uint32_t cut = location_named(p, 0, 0, "[truncated]", "", 0);
    profile_location(p, libc, 0x7f0000009999, NULL, 0); /* an orphan */
    uint32_t a[] = {plain, native, js, cut}, b[] = {js, cut};
    struct profile_label labels[] = {{text(p, "thread"), text(p, "main"), 0}, {text(p, "tid"), 0, 4711}};
    int64_t v[] = {3, 30000000}, w[] = {1, 10000000}, adjust[] = {0, -5000000};
    profile_add(p, profile_stack(p, a, 4), profile_labels(p, labels, 2), v);
    profile_add(p, profile_stack(p, b, 2), 0, w);
    profile_add(p, 0, 0, adjust);
    profile_comment(p, "resource: service.name=shop");
    profile_comment(p, "dropped: ring=2");
    ck_assert_int_eq(profile_seal(p), 0);
    return p;
}

/* --- nanopb's reading of a message, and the rules
 * ------------------------------------------------------------------ */

struct seen {
    uint64_t types, mappings, locations, functions, strings, samples, comments;
    uint64_t max_location, max_function, max_mapping, max_string;
    int64_t totals[8];
    uint64_t values, locations_in_samples;
};

static void note(uint64_t *max, uint64_t value)
{
    if (value > *max) *max = value;
}

static bool read_type(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_ValueType type = perftools_profiles_ValueType_init_zero;
    seen->types++;
    if (!pb_decode(stream, perftools_profiles_ValueType_fields, &type)) return false;
    note(&seen->max_string, (uint64_t)type.type);
    note(&seen->max_string, (uint64_t)type.unit);
    return type.type && type.unit;
}

static bool read_location_id(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    uint64_t id;
    while (stream->bytes_left) {
        if (!pb_decode_varint(stream, &id) || !id) return false;
        note(&seen->max_location, id);
        seen->locations_in_samples++;
    }
    return true;
}

static bool read_value(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    uint64_t value;
    while (stream->bytes_left) {
        if (!pb_decode_varint(stream, &value)) return false;
        seen->totals[seen->values++ % 8] += (int64_t)value;
    }
    return true;
}

static bool read_label(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_Label label = perftools_profiles_Label_init_zero;
    if (!pb_decode(stream, perftools_profiles_Label_fields, &label)) return false;
    note(&seen->max_string, (uint64_t)label.key);
    note(&seen->max_string, (uint64_t)label.str);
    return label.key && !(label.str && label.num);
}

static bool read_sample(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_Sample sample = {.location_id = {{.decode = read_location_id}, seen},
                                        .value = {{.decode = read_value}, seen},
                                        .label = {{.decode = read_label}, seen}};
    seen->samples++;
    seen->values = 0;
    return pb_decode(stream, perftools_profiles_Sample_fields, &sample) && seen->values == 2;
}

static bool read_mapping(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_Mapping m = perftools_profiles_Mapping_init_zero;
    if (!pb_decode(stream, perftools_profiles_Mapping_fields, &m)) return false;
    note(&seen->max_string, (uint64_t)m.filename);
    note(&seen->max_string, (uint64_t)m.build_id);
    return m.id == ++seen->mappings && m.memory_start < m.memory_limit;
}

static bool read_line(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_Line line = perftools_profiles_Line_init_zero;
    if (!pb_decode(stream, perftools_profiles_Line_fields, &line)) return false;
    note(&seen->max_function, line.function_id);
    return line.function_id != 0;
}

static bool read_location(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_Location l = {.line = {{.decode = read_line}, seen}};
    if (!pb_decode(stream, perftools_profiles_Location_fields, &l)) return false;
    note(&seen->max_mapping, l.mapping_id);
    return l.id == ++seen->locations;
}

static bool read_function(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    perftools_profiles_Function f = perftools_profiles_Function_init_zero;
    if (!pb_decode(stream, perftools_profiles_Function_fields, &f)) return false;
    note(&seen->max_string, (uint64_t)f.name);
    note(&seen->max_string, (uint64_t)f.system_name);
    note(&seen->max_string, (uint64_t)f.filename);
    return f.id == ++seen->functions;
}

static bool read_string(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    bool first_is_empty = seen->strings || !stream->bytes_left;
    seen->strings++;
    return first_is_empty && pb_read(stream, NULL, stream->bytes_left);
}

static bool read_comment(pb_istream_t *stream, const pb_field_t *field, void **arg)
{
    struct seen *seen = *arg;
    uint64_t comment;
    while (stream->bytes_left) {
        if (!pb_decode_varint(stream, &comment) || !comment) return false;
        note(&seen->max_string, comment);
        seen->comments++;
    }
    return true;
}

static perftools_profiles_Profile read_message(const struct encode_buffer *data, struct seen *seen)
{
    memset(seen, 0, sizeof *seen);
    perftools_profiles_Profile m = {.sample_type = {{.decode = read_type}, seen},
                                    .sample = {{.decode = read_sample}, seen},
                                    .mapping = {{.decode = read_mapping}, seen},
                                    .location = {{.decode = read_location}, seen},
                                    .function = {{.decode = read_function}, seen},
                                    .string_table = {{.decode = read_string}, seen},
                                    .comment = {{.decode = read_comment}, seen}};
    pb_istream_t stream = pb_istream_from_buffer(data->data, data->size);
    ck_assert_msg(pb_decode(&stream, perftools_profiles_Profile_fields, &m), "%s", PB_GET_ERROR(&stream));
    note(&seen->max_string, (uint64_t)m.default_sample_type);
    note(&seen->max_string, (uint64_t)m.period_type.type);
    /* In range, and nothing that no one refers to: the largest id used is the last one. */
    ck_assert_uint_eq(seen->max_location, seen->locations);
    ck_assert_uint_eq(seen->max_function, seen->functions);
    ck_assert_uint_le(seen->max_mapping, seen->mappings);
    ck_assert_uint_eq(seen->max_string, seen->strings - 1);
    return m;
}

/* --- tests
 * ------------------------------------------------------------------------------------------------------- */

START_TEST(a_message_obeys_the_rules_of_strict_readers)
{
    struct profile *p = rich_profile();
    struct encode_buffer out = {0};
    struct seen seen;
    ck_assert_int_eq(pprof_encode(p, &out), 0);
    perftools_profiles_Profile m = read_message(&out, &seen);
    ck_assert_int_eq(m.time_nanos, 1767225600123000000);
    ck_assert_int_eq(m.duration_nanos, 10000000000);
    ck_assert_int_eq(m.period, 10000000);
    ck_assert_uint_eq(seen.types, 2);
    ck_assert_uint_eq(seen.samples, 3);
    ck_assert_uint_eq(seen.mappings, 2);
    ck_assert_uint_eq(seen.locations, 4);
    ck_assert_uint_eq(seen.functions, 4);
    ck_assert_uint_eq(seen.comments, 2);
    ck_assert_uint_eq(seen.locations_in_samples, 6);
    ck_assert_int_eq(seen.totals[0], 4);
    ck_assert_int_eq(seen.totals[1], 35000000);
    encode_buffer_free(&out);
    profile_destroy(p);
}
END_TEST

/* protoc --decode of |data|, or "" where it cannot run. The caller frees it. */
static char *decoded_by_protoc(const struct encode_buffer *data)
{
    char path[] = "/tmp/pprof_encode_test.XXXXXX", command[1024], *directory = strdup(__FILE__);
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, data->data, data->size), (ssize_t)data->size);
    close(fd);
    *strrchr(directory, '/') = 0;
    snprintf(command, sizeof command,
             "protoc -I%s/../../proto --decode perftools.profiles.Profile pprof.proto < %s", directory, path);
    FILE *pipe = popen(command, "r");
    char *decoded = calloc(1, 1 << 20);
    size_t n = fread(decoded, 1, (1 << 20) - 1, pipe);
    ck_assert_int_eq(pclose(pipe), 0);
    decoded[n] = 0;
    unlink(path);
    free(directory);
    return decoded;
}

START_TEST(protoc_reads_what_was_put_in)
{
    struct profile *p = rich_profile();
    struct encode_buffer out = {0};
    ck_assert_int_eq(pprof_encode(p, &out), 0);
    char *decoded = decoded_by_protoc(&out);
    static const char *const expected[] = {
        "sample_type {\n  type: 1\n  unit: 2\n}\nsample_type {\n  type: 3\n  unit: 4\n}\n",
        "sample {\n  location_id: 1\n  location_id: 2\n  location_id: 3\n  location_id: 4\n"
        "  value: 3\n  value: 30000000\n"
        "  label {\n    key: 16\n    str: 17\n  }\n  label {\n    key: 18\n    num: 4711\n  }\n}\n",
        "sample {\n  value: 0\n  value: -5000000\n}\n",
        "mapping {\n  id: 1\n  memory_start: 4194304\n  memory_limit: 9437184\n  file_offset: 4096\n"
        "  filename: 5\n  build_id: 6\n  has_functions: true\n  has_filenames: true\n"
        "  has_line_numbers: true\n  has_inline_frames: true\n}\n",
        "mapping {\n  id: 2\n  memory_start: 139637976727552\n  memory_limit: 139637978824704\n  filename: "
        "7\n}\n",
        "location {\n  id: 1\n  mapping_id: 2\n  address: 139637976732212\n}\n",
        "location {\n  id: 2\n  mapping_id: 1\n  address: 4198400\n"
        "  line {\n    function_id: 1\n    line: 11\n  }\n  line {\n    function_id: 2\n    line: 22\n  "
        "}\n}\n",
        "location {\n  id: 3\n  address: 70364449214464\n  line {\n    function_id: 3\n    line: 42\n  "
        "}\n}\n",
        "location {\n  id: 4\n  line {\n    function_id: 4\n  }\n}\n",
        "function {\n  id: 3\n  name: 13\n  system_name: 13\n  filename: 14\n  start_line: 41\n}\n",
        "string_table: \"\"\nstring_table: \"samples\"\nstring_table: \"count\"\nstring_table: \"cpu\"\n"
        "string_table: \"nanoseconds\"\nstring_table: \"/usr/bin/node\"\nstring_table: \"cafe01\"\n",
        "string_table: \"thread\"\nstring_table: \"main\"\nstring_table: \"tid\"\n"
        "string_table: \"resource: service.name=shop\"\nstring_table: \"dropped: ring=2\"\n"
        "time_nanos: 1767225600123000000\nduration_nanos: 10000000000\n"
        "period_type {\n  type: 3\n  unit: 4\n}\nperiod: 10000000\ncomment: 19\ncomment: 20\n"
        "default_sample_type: 3\n",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_msg(strstr(decoded, expected[i]) != NULL, "no %s in %s", expected[i], decoded);
    free(decoded);
    encode_buffer_free(&out);
    profile_destroy(p);
}
END_TEST

START_TEST(a_profile_without_samples_or_mappings_is_a_message_too)
{
    struct profile *p = profile_create(&cpu, 1);
    struct encode_buffer out = {0};
    struct seen seen;
    ck_assert_int_eq(encode_buffer_append(&out, "before", 6), 0);
    ck_assert_int_eq(profile_seal(p), 0);
    ck_assert_int_eq(pprof_encode(p, &out), 0);
    ck_assert_mem_eq(out.data, "before", 6);
    struct encode_buffer message = {out.data + 6, out.size - 6, 0};
    read_message(&message, &seen);
    ck_assert_uint_eq(seen.samples, 0);
    ck_assert_uint_eq(seen.mappings, 0);
    encode_buffer_free(&out);
    profile_destroy(p);
}
END_TEST

/* Sizes at the borders of the varint lengths, in tables that grew past them. */
START_TEST(large_tables_come_back_whole)
{
    struct profile *p = profile_create(&cpu, 1);
    enum { MANY = 17000, DEPTH = 128 };
    static uint32_t locations[MANY];
    char name[64];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "f%d", i);
        locations[i] = location_named(p, 0, 0x1000 + (uint64_t)i, name, "x.js", i);
    }
    int64_t total = 0;
    for (int i = 0; i < MANY; i++) {
        uint32_t stack[DEPTH];
        int depth = 1 + i % DEPTH;
        for (int k = 0; k < depth; k++) stack[k] = locations[(i + k * 131) % MANY];
        int64_t v[] = {1, (int64_t)1 << i % 50};
        total += v[1];
        ck_assert_int_eq(profile_add(p, profile_stack(p, stack, (unsigned)depth), 0, v), 0);
    }
    ck_assert_int_eq(profile_seal(p), 0);
    struct encode_buffer out = {0};
    struct seen seen;
    ck_assert_int_eq(pprof_encode(p, &out), 0);
    read_message(&out, &seen);
    ck_assert_uint_eq(seen.samples, MANY);
    ck_assert_uint_eq(seen.locations, MANY);
    ck_assert_int_eq(seen.totals[0], MANY);
    ck_assert_int_eq(seen.totals[1], total);
    encode_buffer_free(&out);
    profile_destroy(p);
}
END_TEST

START_TEST(id_rows_are_what_nanopb_reads)
{
    static const uint32_t borders[] = {1,       127,     128,     16383,     16384,     2097151, 2097152,
                                       2097153, 5000000, 3000000, 268435455, 268435456, 77,      0x7fffffff};
    enum { COUNT = sizeof borders / sizeof *borders, TABLE = 2097152 + 10 };
    uint32_t *table = malloc(TABLE * sizeof *table);
    id_row_table(table, TABLE);
    for (size_t n = 0; n <= COUNT; n++) {
        size_t size = 0;
        for (size_t i = 0; i < n; i++) size += wire_varint_size(borders[i]);
        ck_assert_uint_eq(id_row_size(borders, n), size);
    }
    uint8_t bytes[64 + ID_ROW_SLACK];
    uint8_t *end = id_row_put(bytes, borders, 8, table);
    pb_istream_t stream = pb_istream_from_buffer(bytes, (size_t)(end - bytes));
    for (size_t i = 0; i < 8; i++) {
        uint64_t id;
        ck_assert(pb_decode_varint(&stream, &id));
        ck_assert_uint_eq(id, borders[i]);
    }
    ck_assert_uint_eq(stream.bytes_left, 0);
    free(table);
}
END_TEST

START_TEST(varint_sizes_are_those_of_the_bytes_written)
{
    uint8_t bytes[10];
    for (unsigned bit = 0; bit < 64; bit++)
        for (int64_t near = -1; near <= 1; near++) {
            uint64_t value = ((uint64_t)1 << bit) + (uint64_t)near, back;
            size_t size = (size_t)(wire_put_varint(bytes, value) - bytes);
            ck_assert_uint_eq(wire_varint_size(value), size);
            pb_istream_t stream = pb_istream_from_buffer(bytes, size);
            ck_assert(pb_decode_varint(&stream, &back));
            ck_assert_uint_eq(back, value);
        }
}
END_TEST

static void check_gzip_of(const uint8_t *data, size_t size, int level)
{
    struct encode_buffer out = {0};
    ck_assert_int_eq(gzip_compress(data, size, level, &out), 0);
    uint8_t *back = malloc(size + 1);
    z_stream stream = {
        .next_in = out.data, .avail_in = (uInt)out.size, .next_out = back, .avail_out = (uInt)size + 1};
    ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    ck_assert_uint_eq(stream.total_out, size);
    ck_assert_uint_eq(stream.avail_in, 0);
    ck_assert_int_eq(memcmp(back, data, size), 0);
    inflateEnd(&stream);
    free(back);
    encode_buffer_free(&out);
}

START_TEST(zlib_inflates_what_gzip_compress_made)
{
    enum { SIZE = 3000000 };
    uint8_t *noise = malloc(SIZE), *zeros = calloc(1, SIZE);
    for (size_t i = 0; i < SIZE; i++) noise[i] = (uint8_t)rand();
    static const size_t sizes[] = {0, 1, 1000, SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_gzip_of(noise, sizes[i], 1);
        check_gzip_of(zeros, sizes[i], 1);
        check_gzip_of(zeros, sizes[i], 9);
    }
    struct encode_buffer out = {0};
    ck_assert_int_lt(gzip_compress(zeros, 1, 0, &out), 0);
    ck_assert_int_lt(gzip_compress(zeros, 1, 10, &out), 0);
    ck_assert_uint_eq(out.size, 0);
    free(noise);
    free(zeros);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pprof_encode");
    TCase *tcase = tcase_create("pprof_encode");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_message_obeys_the_rules_of_strict_readers);
    tcase_add_test(tcase, protoc_reads_what_was_put_in);
    tcase_add_test(tcase, a_profile_without_samples_or_mappings_is_a_message_too);
    tcase_add_test(tcase, large_tables_come_back_whole);
    tcase_add_test(tcase, id_rows_are_what_nanopb_reads);
    tcase_add_test(tcase, varint_sizes_are_those_of_the_bytes_written);
    tcase_add_test(tcase, zlib_inflates_what_gzip_compress_made);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
