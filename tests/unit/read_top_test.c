// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/pprof.h"
#include "read/top.h"
#include "read/value_type.h"
#include "read_message.h"

static struct read_error error;

// Functions a to d at ids 1 to 4 in x.c; locations 1 to 4 hold one each, location 5 holds a inlined into b.
static void put_four_functions(struct message *message, const char *unit)
{
    put_value_type(message, 1, 1, 2);
    for (uint64_t i = 1; i <= 4; i++) {
        put_function(message, i, 2 + i, 7, i == 1 ? 0 : 10 * i);
        put_location(message, i, 0, 0x1000 * i, (uint64_t[][2]){{i, 10 * i + 1}}, 1);
    }
    put_location(message, 5, 0, 0x5000, (uint64_t[][2]){{1, 9}, {2, 25}}, 2);
    put_strings(message, (const char *[]){"", "cpu", unit, "a", "b", "c", "d", "x.c"}, 8);
    put_number(message, 10, 1000);
}

static int add(struct read_top *top, const struct message *message, const char *source, const char *wanted)
{
    struct read_profile *profile;
    ck_assert_int_eq(read_pprof_bytes(message->bytes, message->size, &profile, &error), 0);
    int failed = read_top_add(top, profile, source, wanted, &error);
    read_profile_free(profile);
    return failed;
}

static void assert_row(const struct read_top *top, size_t row, const char *name, int64_t self,
                       int64_t cumulative, int64_t line)
{
    ck_assert_uint_lt(row, top->frames.count);
    const struct read_top_frame *frame = (const struct read_top_frame *)top->frames.rows + row;
    ck_assert_str_eq(frame->name, name);
    ck_assert_int_eq(frame->self, self);
    ck_assert_int_eq(frame->cumulative, cumulative);
    ck_assert_int_eq(read_top_line(frame), line);
}

START_TEST(a_recursive_function_counts_once_a_sample)
{
    struct message message = {.size = 0};
    struct read_top top = {0};
    put_four_functions(&message, "nanoseconds");
    put_sample(&message, (uint64_t[]){1, 2, 1, 2, 1, 3}, 6, (uint64_t[]){100}, 1);
    ck_assert_int_eq(add(&top, &message, "x", NULL), 0);
    read_top_sort(&top);
    ck_assert_int_eq(top.total, 100);
    ck_assert_uint_eq(top.frames.count, 3);
    assert_row(&top, 0, "a", 100, 100, 11);
    assert_row(&top, 1, "b", 0, 100, 20);
    assert_row(&top, 2, "c", 0, 100, 30);
    read_top_free(&top);
}
END_TEST

START_TEST(self_goes_to_the_innermost_inlined_function)
{
    struct message message = {.size = 0};
    struct read_top top = {0};
    put_four_functions(&message, "nanoseconds");
    put_sample(&message, (uint64_t[]){5, 3}, 2, (uint64_t[]){7}, 1);
    put_sample(&message, (uint64_t[]){2, 3}, 2, (uint64_t[]){5}, 1);
    ck_assert_int_eq(add(&top, &message, "x", NULL), 0);
    read_top_sort(&top);
    assert_row(&top, 0, "a", 7, 7, 9);
    assert_row(&top, 1, "b", 5, 12, 20);
    assert_row(&top, 2, "c", 0, 12, 30);
    read_top_free(&top);
}
END_TEST

START_TEST(samples_of_zero_and_functions_never_sampled_are_no_rows)
{
    struct message message = {.size = 0};
    struct read_top top = {0};
    put_four_functions(&message, "nanoseconds");
    put_sample(&message, (uint64_t[]){4}, 1, (uint64_t[]){0}, 1);
    put_sample(&message, NULL, 0, (uint64_t[]){3}, 1);
    put_sample(&message, (uint64_t[]){1}, 1, (uint64_t[]){5}, 1);
    put_sample(&message, (uint64_t[]){2}, 1, (uint64_t[]){(uint64_t)-4}, 1);
    ck_assert_int_eq(add(&top, &message, "x", NULL), 0);
    read_top_sort(&top);
    ck_assert_int_eq(top.total, 12);
    ck_assert_uint_eq(top.record_count, 3);
    ck_assert_uint_eq(top.frames.count, 2);
    assert_row(&top, 0, "a", 5, 5, 11);
    assert_row(&top, 1, "b", -4, -4, 20);
    read_top_free(&top);
}
END_TEST

START_TEST(profiles_add_up_by_name_and_file)
{
    struct message message = {.size = 0}, other = {.size = 0};
    struct read_top top = {0};
    put_four_functions(&message, "nanoseconds");
    put_sample(&message, (uint64_t[]){1, 2}, 2, (uint64_t[]){10}, 1);
    put_value_type(&other, 1, 1, 2);
    put_function(&other, 77, 3, 4, 0);
    put_function(&other, 78, 3, 5, 0);
    put_location(&other, 9, 0, 0, (uint64_t[][2]){{77, 5}}, 1);
    put_location(&other, 8, 0, 0, (uint64_t[][2]){{78, 5}}, 1);
    put_strings(&other, (const char *[]){"", "cpu", "nanoseconds", "a", "x.c", "y.c"}, 6);
    put_sample(&other, (uint64_t[]){9}, 1, (uint64_t[]){1}, 1);
    put_sample(&other, (uint64_t[]){8}, 1, (uint64_t[]){2}, 1);
    put_number(&other, 10, 500);
    ck_assert_int_eq(add(&top, &message, "x", NULL), 0);
    ck_assert_int_eq(add(&top, &other, "y", NULL), 0);
    read_top_sort(&top);
    ck_assert_int_eq(top.total, 13);
    ck_assert_int_eq(top.duration_nanos, 1500);
    ck_assert_uint_eq(top.file_count, 2);
    ck_assert_uint_eq(top.frames.count, 3);
    assert_row(&top, 0, "a", 11, 11, 5);
    assert_row(&top, 1, "a", 2, 2, 5);
    assert_row(&top, 2, "b", 0, 10, 20);
    read_top_free(&top);
}
END_TEST

START_TEST(different_units_are_refused_and_both_named)
{
    struct message message = {.size = 0}, other = {.size = 0};
    struct read_top top = {0};
    put_four_functions(&message, "nanoseconds");
    put_four_functions(&other, "microseconds");
    ck_assert_int_eq(add(&top, &message, "one.pb", NULL), 0);
    ck_assert_int_eq(add(&top, &other, "two.pb", NULL), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error.text, "two.pb: its type cpu is in microseconds"));
    ck_assert_ptr_nonnull(strstr(error.text, "nanoseconds in one.pb"));
    read_top_free(&top);
}
END_TEST

START_TEST(locations_without_a_function_are_named_by_binary_and_offset)
{
    struct message message = {.size = 0};
    struct read_top top = {0};
    put_value_type(&message, 1, 1, 2);
    put_mapping(&message, 5, 0x7f0000, 0x7f9000, 0x2000, 3);
    put_location(&message, 1, 5, 0x7f0123, NULL, 0);
    put_location(&message, 2, 0, 0xabc, NULL, 0);
    put_location(&message, 3, 0, 0, NULL, 0);
    put_location(&message, 4, 5, 0, NULL, 0);
    put_strings(&message, (const char *[]){"", "cpu", "nanoseconds", "/usr/lib/libc.so.6"}, 4);
    for (uint64_t i = 1; i <= 4; i++) put_sample(&message, &i, 1, (uint64_t[]){10 - i}, 1);
    ck_assert_int_eq(add(&top, &message, "x", NULL), 0);
    read_top_sort(&top);
    assert_row(&top, 0, "[libc.so.6+0x2123]", 9, 9, 0);
    assert_row(&top, 1, "[0xabc]", 8, 8, 0);
    assert_row(&top, 2, "[unknown]", 7, 7, 0);
    assert_row(&top, 3, "[libc.so.6]", 6, 6, 0);
    read_top_free(&top);
}
END_TEST

START_TEST(sums_stop_at_the_limit_instead_of_overflowing)
{
    struct message message = {.size = 0};
    struct read_top top = {0};
    put_four_functions(&message, "nanoseconds");
    for (int i = 0; i < 3; i++) put_sample(&message, (uint64_t[]){1}, 1, (uint64_t[]){INT64_MAX}, 1);
    put_sample(&message, (uint64_t[]){2}, 1, (uint64_t[]){(uint64_t)INT64_MIN}, 1);
    ck_assert_int_eq(add(&top, &message, "x", NULL), 0);
    ck_assert_int_eq(top.total, INT64_MAX);
    read_top_sort(&top);
    assert_row(&top, 0, "a", INT64_MAX, INT64_MAX, 11);
    read_top_free(&top);
}
END_TEST

START_TEST(many_functions_are_all_kept_apart)
{
    struct read_top top = {0};
    for (int i = 0; i < 5000; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%04d", i);
        struct message message = {.size = 0};
        put_value_type(&message, 1, 1, 2);
        put_function(&message, 1, 3, 0, 0);
        put_location(&message, 1, 0, 0, (uint64_t[][2]){{1, 1}}, 1);
        put_sample(&message, (uint64_t[]){1}, 1, (uint64_t[]){1}, 1);
        put_strings(&message, (const char *[]){"", "cpu", "nanoseconds", name}, 4);
        ck_assert_int_eq(add(&top, &message, name, NULL), 0);
        if (i % 2) ck_assert_int_eq(add(&top, &message, name, NULL), 0);
    }
    read_top_sort(&top);
    ck_assert_uint_eq(top.frames.count, 5000);
    ck_assert_int_eq(top.total, 7500);
    assert_row(&top, 0, "f0001", 2, 2, 1);
    assert_row(&top, 4999, "f4998", 1, 1, 1);
    read_top_free(&top);
}
END_TEST

START_TEST(the_type_is_the_wanted_or_the_default_or_the_last)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    struct read_profile *profile;
    ck_assert_int_eq(read_pprof_bytes(message.bytes, message.size, &profile, &error), 0);
    ck_assert_int_eq(read_value_type_default(profile), 0);
    profile->default_type = (struct read_text){"", 0};
    ck_assert_int_eq(read_value_type_default(profile), 1);
    ck_assert_int_eq(read_value_type_find(profile, "cpu"), 1);
    ck_assert_int_eq(read_value_type_find(profile, "cpu/nanoseconds"), 1);
    ck_assert_int_eq(read_value_type_find(profile, "samples:count"), 0);
    ck_assert_int_eq(read_value_type_find(profile, "cpu/count"), -1);
    ck_assert_int_eq(read_value_type_find(profile, "wall"), -1);
    struct read_top top = {0};
    ck_assert_int_eq(read_top_add(&top, profile, "x.pb", "wall", &error), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error.text, "samples/count, cpu/nanoseconds"));
    read_top_free(&top);
    read_profile_free(profile);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_top");
    TCase *tests = tcase_create("top");
    tcase_add_test(tests, a_recursive_function_counts_once_a_sample);
    tcase_add_test(tests, self_goes_to_the_innermost_inlined_function);
    tcase_add_test(tests, samples_of_zero_and_functions_never_sampled_are_no_rows);
    tcase_add_test(tests, profiles_add_up_by_name_and_file);
    tcase_add_test(tests, different_units_are_refused_and_both_named);
    tcase_add_test(tests, locations_without_a_function_are_named_by_binary_and_offset);
    tcase_add_test(tests, sums_stop_at_the_limit_instead_of_overflowing);
    tcase_add_test(tests, many_functions_are_all_kept_apart);
    tcase_add_test(tests, the_type_is_the_wanted_or_the_default_or_the_last);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
