// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "read/gunzip.h"
#include "read/pprof.h"
#include "read_message.h"

static struct read_error error;

static struct read_profile *parse(const struct message *message)
{
    struct read_profile *profile = NULL;
    int failed = read_pprof_bytes(message->bytes, message->size, &profile, &error);
    ck_assert_msg(failed == 0, "%s", error.text);
    return profile;
}

static void assert_refused(const void *bytes, size_t size, int code, const char *words)
{
    struct read_profile *profile = NULL;
    ck_assert_int_eq(read_pprof_bytes(bytes, size, &profile, &error), -code);
    ck_assert_ptr_null(profile);
    ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" is not in: %s", words, error.text);
}

START_TEST(everything_in_a_profile_is_resolved)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    struct read_profile *profile = parse(&message);
    ck_assert_uint_eq(profile->type_count, 2);
    ck_assert_str_eq(profile->types[1].type.bytes, "cpu");
    ck_assert_str_eq(profile->types[1].unit.bytes, "nanoseconds");
    ck_assert_str_eq(profile->default_type.bytes, "samples");
    ck_assert_uint_eq(profile->sample_count, 2);
    ck_assert_int_eq(profile->values[0], 2);
    ck_assert_int_eq(profile->values[3], 10);

    const struct read_sample *sample = &profile->samples[0];
    ck_assert_uint_eq(sample->location_count, 2);
    const struct read_location *leaf = &profile->locations[profile->stack[sample->first_location]];
    ck_assert_uint_eq(leaf->address, 0x400100);
    ck_assert_uint_eq(leaf->line_count, 2);
    const struct read_line *inner = &profile->lines[leaf->first_line];
    ck_assert_str_eq(profile->functions[inner->function].name.bytes, "inner");
    ck_assert_int_eq(inner->line, 31);
    ck_assert_str_eq(profile->functions[inner[1].function].name.bytes, "outer");
    ck_assert_str_eq(profile->mappings[leaf->mapping].file.bytes, "/lib/libx.so");

    ck_assert_uint_eq(sample->label_count, 2);
    const struct read_label *label = &profile->labels[sample->first_label];
    ck_assert(!label[0].is_number);
    ck_assert_str_eq(label[0].key.bytes, "host");
    ck_assert_str_eq(label[0].text.bytes, "web-1");
    ck_assert(label[1].is_number);
    ck_assert_int_eq(label[1].number, 4242);
    ck_assert_str_eq(label[1].unit.bytes, "count");

    ck_assert_int_eq(profile->time_nanos, 1700000000000000000);
    ck_assert_int_eq(profile->duration_nanos, 5000000000);
    ck_assert_int_eq(profile->period, 10000000);
    ck_assert_str_eq(profile->period_type.type.bytes, "cpu");
    ck_assert_uint_eq(profile->comment_count, 1);
    ck_assert_str_eq(profile->comments[0].bytes, "a comment");
    read_profile_free(profile);
}
END_TEST

START_TEST(unpacked_numbers_and_unknown_fields_are_read_and_skipped)
{
    struct message message = {.size = 0}, sample = {.size = 0};
    put_value_type(&message, 1, 1, 2);
    put_number(&sample, 1, 7);
    put_number(&sample, 2, 5);
    put_number(&sample, 1, 8);
    put_bytes(&sample, 77, "later", 5);
    put_message(&message, 2, &sample);
    put_bytes(&message, 99, "later", 5);
    put_location(&message, 8, 0, 0x10, NULL, 0);
    put_location(&message, 7, 0, 0x20, NULL, 0);
    put_strings(&message, (const char *[]){"", "samples", "count"}, 3);
    struct read_profile *profile = parse(&message);
    ck_assert_uint_eq(profile->samples[0].location_count, 2);
    ck_assert_uint_eq(profile->locations[profile->stack[0]].address, 0x20);
    ck_assert_uint_eq(profile->locations[profile->stack[1]].address, 0x10);
    ck_assert_uint_eq(profile->locations[0].mapping, READ_NONE);
    read_profile_free(profile);
}
END_TEST

START_TEST(lines_without_a_function_and_mappings_that_are_missing_are_dropped)
{
    struct message message = {.size = 0};
    put_value_type(&message, 1, 1, 2);
    put_location(&message, 1, 55, 0x10, (uint64_t[][2]){{0, 3}}, 1);
    put_strings(&message, (const char *[]){"", "samples", "count"}, 3);
    struct read_profile *profile = parse(&message);
    ck_assert_uint_eq(profile->locations[0].line_count, 0);
    ck_assert_uint_eq(profile->locations[0].mapping, READ_NONE);
    read_profile_free(profile);
}
END_TEST

START_TEST(gzip_of_one_and_of_several_members_is_read)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    uint8_t zipped[8192];
    size_t size = gzip_member(message.bytes, message.size, zipped, sizeof zipped);
    struct read_profile *profile;
    ck_assert_int_eq(read_pprof_bytes(zipped, size, &profile, &error), 0);
    ck_assert_uint_eq(profile->sample_count, 2);
    read_profile_free(profile);

    size = gzip_member(message.bytes, 100, zipped, sizeof zipped);
    size += gzip_member(message.bytes + 100, message.size - 100, zipped + size, sizeof zipped - size);
    ck_assert_int_eq(read_pprof_bytes(zipped, size, &profile, &error), 0);
    ck_assert_uint_eq(profile->sample_count, 2);
    read_profile_free(profile);
}
END_TEST

START_TEST(damaged_gzip_is_told_from_truncated_gzip)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    uint8_t zipped[8192];
    size_t size = gzip_member(message.bytes, message.size, zipped, sizeof zipped);
    assert_refused(zipped, size - 1, EBADMSG, "truncated");
    assert_refused(zipped, size / 2, EBADMSG, "truncated");
    assert_refused(zipped, 2, EBADMSG, "truncated");
    zipped[size] = 'x';
    assert_refused(zipped, size + 1, EBADMSG, "truncated");
    zipped[size - 8] ^= 1;
    assert_refused(zipped, size, EBADMSG, "incorrect data check");
    size = gzip_member("", 0, zipped, sizeof zipped);
    assert_refused(zipped, size, ENODATA, "empty");
}
END_TEST

START_TEST(decompression_stops_at_its_limit)
{
    static uint8_t zeros[4 << 20], zipped[64 << 10];
    size_t size = gzip_member(zeros, sizeof zeros, zipped, sizeof zipped), out_size;
    uint8_t *out;
    ck_assert_int_eq(read_gunzip(zipped, size, sizeof zeros - 1, &out, &out_size, &error), -EFBIG);
    ck_assert_ptr_nonnull(strstr(error.text, "bomb"));
    ck_assert_int_eq(read_gunzip(zipped, size, sizeof zeros, &out, &out_size, &error), 0);
    ck_assert_uint_eq(out_size, sizeof zeros);
    free(out);
}
END_TEST

START_TEST(dangling_and_double_ids_are_refused)
{
    const char *const strings[] = {"", "samples", "count"};
    struct message head = {.size = 0}, message;
    put_value_type(&head, 1, 1, 2);
    put_strings(&head, strings, 3);

    message = head;
    put_sample(&message, (uint64_t[]){3}, 1, (uint64_t[]){1}, 1);
    assert_refused(message.bytes, message.size, EBADMSG, "refers to location 3");
    message = head;
    put_location(&message, 1, 0, 0, (uint64_t[][2]){{9, 1}}, 1);
    assert_refused(message.bytes, message.size, EBADMSG, "refers to function 9");
    message = head;
    put_function(&message, 1, 17, 0, 0);
    assert_refused(message.bytes, message.size, EBADMSG, "refers to string 17");
    message = head;
    put_function(&message, 1, UINT64_MAX, 0, 0);
    assert_refused(message.bytes, message.size, EBADMSG, "refers to string");
    message = head;
    put_function(&message, 4, 1, 0, 0);
    put_function(&message, 4, 2, 0, 0);
    assert_refused(message.bytes, message.size, EBADMSG, "two rows of function have the id 4");
    message = head;
    put_location(&message, 0, 0, 0, NULL, 0);
    assert_refused(message.bytes, message.size, EBADMSG, "a location has the id 0");
}
END_TEST

START_TEST(values_must_match_the_sample_types)
{
    struct message message = {.size = 0};
    put_value_type(&message, 1, 1, 2);
    put_sample(&message, NULL, 0, (uint64_t[]){1, 2}, 2);
    put_strings(&message, (const char *[]){"", "samples", "count"}, 3);
    assert_refused(message.bytes, message.size, EBADMSG, "2 values for 1 sample types");
    message.size = 0;
    put_sample(&message, NULL, 0, (uint64_t[]){1}, 1);
    assert_refused(message.bytes, message.size, EBADMSG, "no sample type");
}
END_TEST

START_TEST(concatenated_profiles_are_refused)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    put_sample_profile(&message);
    assert_refused(message.bytes, message.size, EBADMSG, "");
    message.size = 0;
    put_number(&message, 9, 1);
    put_number(&message, 9, 1);
    assert_refused(message.bytes, message.size, EBADMSG, "several profiles");
}
END_TEST

START_TEST(legacy_formats_are_named_with_the_way_to_convert)
{
    uint64_t cpu64[] = {0, 3, 0, 10000, 0};
    uint32_t cpu32[] = {0, 3, 0, 10000, 0};
    static const char heap[] = "heap profile:    1:   10 [   1:   10] @ heap_v2/524288\n";
    static const char symbols[] = "--- symbol\nbinary=/bin/x\n";
    static const char go[] = "goroutine profile: total 3\n";
    assert_refused(cpu64, sizeof cpu64, ENOTSUP, "go tool pprof -proto");
    assert_refused(cpu32, sizeof cpu32, ENOTSUP, "legacy gperftools");
    assert_refused(heap, sizeof heap - 1, ENOTSUP, "legacy gperftools");
    assert_refused(symbols, sizeof symbols - 1, ENOTSUP, "legacy gperftools");
    assert_refused(go, sizeof go - 1, ENOTSUP, "debug=0");
}
END_TEST

START_TEST(files_that_cannot_be_read_or_are_something_else_are_refused_by_name)
{
    struct read_profile *profile = NULL;
    ck_assert_int_eq(read_pprof_file("/nowhere/x.pb.gz", &profile, &error), -ENOENT);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x.pb.gz: cannot open it: No such file"));
    ck_assert_int_eq(read_pprof_file("/", &profile, &error), -EISDIR);
    ck_assert_int_eq(read_pprof_file("/dev/null", &profile, &error), -ENODATA);
    ck_assert_ptr_nonnull(strstr(error.text, "/dev/null: it is empty"));
    assert_refused("{\"nodes\":[]}", 12, EBADMSG, "not a pprof profile");
    assert_refused("\x7f"
                   "ELF\2\1\1",
                   7, EBADMSG, "not a pprof profile");
    ck_assert_ptr_null(profile);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_pprof");
    TCase *tests = tcase_create("pprof");
    tcase_add_test(tests, everything_in_a_profile_is_resolved);
    tcase_add_test(tests, unpacked_numbers_and_unknown_fields_are_read_and_skipped);
    tcase_add_test(tests, lines_without_a_function_and_mappings_that_are_missing_are_dropped);
    tcase_add_test(tests, gzip_of_one_and_of_several_members_is_read);
    tcase_add_test(tests, damaged_gzip_is_told_from_truncated_gzip);
    tcase_add_test(tests, decompression_stops_at_its_limit);
    tcase_add_test(tests, dangling_and_double_ids_are_refused);
    tcase_add_test(tests, values_must_match_the_sample_types);
    tcase_add_test(tests, concatenated_profiles_are_refused);
    tcase_add_test(tests, legacy_formats_are_named_with_the_way_to_convert);
    tcase_add_test(tests, files_that_cannot_be_read_or_are_something_else_are_refused_by_name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
