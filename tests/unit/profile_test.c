/* The profile model: interning, merging, what happens without memory, and sealing. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

static const struct profile_kind cpu = {
    "cpu", 2, {{"samples", "count"}, {"cpu", "nanoseconds"}}, {"cpu", "nanoseconds"}};

static uint32_t text(struct profile *p, const char *s)
{
    return profile_string(p, s, strlen(s));
}

static uint32_t named_location(struct profile *p, const char *name)
{
    struct profile_line line = {profile_function(p, text(p, name), 0, 0, 0, 0), 0, 0};
    return profile_location(p, 0, 0, &line, 1);
}

START_TEST(strings_are_kept_once_and_entry_0_is_empty)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t a = text(p, "alpha"), b = text(p, "beta");
    ck_assert_uint_ne(a, b);
    ck_assert_uint_eq(text(p, "alpha"), a);
    ck_assert_uint_eq(profile_string(p, "alphabet", 5), a);
    ck_assert_uint_eq(text(p, ""), 0);
    ck_assert_str_eq(profile_string_text(p, 0), "");
    ck_assert_str_eq(profile_string_text(p, b), "beta");
    ck_assert_str_eq(profile_string_text(p, 100000), "");
    ck_assert_uint_eq(text(p, "cpu"), p->types[1].type);
    profile_destroy(p);
}
END_TEST

START_TEST(many_strings_survive_the_growth_of_the_table)
{
    struct profile *p = profile_create(&cpu, 1);
    static uint32_t ids[20000];
    char name[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "function_%d", i);
        ids[i] = text(p, name);
    }
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "function_%d", i);
        ck_assert_uint_eq(text(p, name), ids[i]);
        ck_assert_str_eq(profile_string_text(p, ids[i]), name);
    }
    profile_destroy(p);
}
END_TEST

#define FFFD "\xef\xbf\xbd"

START_TEST(bytes_that_are_not_utf8_become_replacement_characters)
{
    struct profile *p = profile_create(&cpu, 1);
    const char *good = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80";
    ck_assert_str_eq(profile_string_text(p, text(p, good)), good);
    uint32_t bad = profile_string(p,
                                  "a\xff"
                                  "b",
                                  3);
    ck_assert_str_eq(profile_string_text(p, bad), "a" FFFD "b");
    ck_assert_uint_eq(text(p, "a" FFFD "b"), bad);
    ck_assert_uint_eq(profile_string(p,
                                     "a\xff"
                                     "b",
                                     3),
                      bad);
    profile_destroy(p);
}
END_TEST

START_TEST(long_strings_are_cut_between_characters)
{
    struct profile *p = profile_create(&cpu, 1);
    char *s = malloc(PROFILE_MAX_STRING + 10);
    memset(s, 'a', PROFILE_MAX_STRING + 10);
    memcpy(s + PROFILE_MAX_STRING - 1, "\xe2\x82\xac", 3);
    uint32_t id = profile_string(p, s, PROFILE_MAX_STRING + 10);
    ck_assert_uint_eq(p->strings.items[id].length, PROFILE_MAX_STRING - 1);
    profile_destroy(p);
    free(s);
}
END_TEST

START_TEST(equal_mappings_functions_locations_and_stacks_have_one_id)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t file = text(p, "/bin/app"), id = text(p, "abcd");
    uint32_t m = profile_mapping(p, 0x1000, 0x2000, 0, file, id);
    ck_assert_uint_eq(m, 1);
    ck_assert_uint_eq(profile_mapping(p, 0x1000, 0x2000, 0, file, id), m);
    ck_assert_uint_ne(profile_mapping(p, 0x1000, 0x2000, 0x1000, file, id), m);
    uint32_t f = profile_function(p, text(p, "main"), 0, file, 7, 0);
    ck_assert_uint_eq(profile_function(p, text(p, "main"), 0, file, 7, 0), f);
    ck_assert_uint_ne(profile_function(p, text(p, "main"), 0, file, 8, 0), f);
    ck_assert_uint_ne(profile_function(p, text(p, "main"), 0, file, 7, 20), f);
    ck_assert_uint_eq(profile_function(p, 0, 0, 0, 8, 0), 0);
    struct profile_line at3 = {f, 3, 0}, at4 = {f, 4, 0};
    uint32_t a = profile_location(p, m, 0x1234, &at3, 1), b = profile_location(p, m, 0x1234, &at4, 1);
    ck_assert_uint_ne(a, b);
    ck_assert_uint_eq(profile_location(p, m, 0x1234, &at3, 1), a);
    ck_assert_uint_eq(profile_location(p, 0, 0, NULL, 0), 0);
    uint32_t ab[] = {a, b}, ba[] = {b, a}, with_none[] = {a, 0, b};
    uint32_t s = profile_stack(p, ab, 2);
    ck_assert_uint_ne(s, 0);
    ck_assert_uint_eq(profile_stack(p, ab, 2), s);
    ck_assert_uint_eq(profile_stack(p, with_none, 3), s);
    ck_assert_uint_ne(profile_stack(p, ba, 2), s);
    ck_assert_uint_ne(profile_stack(p, ab, 1), s);
    ck_assert_uint_eq(profile_stack(p, ab, 0), 0);
    ck_assert_uint_eq(p->dropped, 0);
    profile_destroy(p);
}
END_TEST

START_TEST(a_location_keeps_its_identity_when_it_gets_its_lines)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t m = profile_mapping(p, 0x1000, 0x2000, 0, text(p, "/bin/app"), 0);
    uint32_t plain = profile_location(p, m, 0x1500, NULL, 0);
    uint32_t inner = profile_function(p, text(p, "inner"), 0, 0, 0, 0);
    uint32_t outer = profile_function(p, text(p, "outer"), 0, 0, 0, 0);
    struct profile_line lines[] = {{inner, 10, 0}, {outer, 20, 0}};
    ck_assert_int_eq(profile_location_set_lines(p, plain, lines, 2), 0);
    ck_assert_uint_eq(profile_location(p, m, 0x1500, NULL, 0), plain);
    ck_assert_uint_eq(p->locations.items[plain].line_count, 2);
    ck_assert_uint_eq(p->locations.lines[p->locations.items[plain].line_at + 1].function, outer);
    ck_assert_int_eq(profile_location_set_lines(p, plain, lines, 1), 0);
    ck_assert_uint_eq(p->locations.items[plain].line_count, 1);
    ck_assert_int_eq(profile_location_set_lines(p, 999, lines, 1), -EINVAL);
    ck_assert_int_eq(profile_location_set_lines(p, 0, lines, 1), -EINVAL);
    profile_destroy(p);
}
END_TEST

START_TEST(label_sets_ignore_order_and_labels_without_a_key)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t k = text(p, "thread"), n = text(p, "tid"), v = text(p, "main"), w = text(p, "worker");
    struct profile_label one[] = {{k, v, 0}, {n, 0, 7}}, other[] = {{n, 0, 7}, {0, v, 0}, {k, v, 0}};
    struct profile_label twice[] = {{k, w, 0}, {n, 0, 7}, {k, v, 0}};
    uint32_t set = profile_labels(p, one, 2);
    ck_assert_uint_ne(set, 0);
    ck_assert_uint_eq(profile_labels(p, other, 3), set);
    ck_assert_uint_eq(profile_labels(p, twice, 3), set);
    ck_assert_uint_eq(profile_labels(p, &other[1], 1), 0);
    ck_assert_uint_eq(profile_labels(p, NULL, 0), 0);
    struct profile_label many[100];
    for (int i = 0; i < 100; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        many[i] = (struct profile_label){text(p, key), v, 0};
    }
    ck_assert_uint_eq(p->label_sets.items[profile_labels(p, many, 100)].count, PROFILE_MAX_LABELS);
    profile_destroy(p);
}
END_TEST

START_TEST(equal_samples_are_added_up_and_sums_saturate)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t location = named_location(p, "f"), stack = profile_stack(p, &location, 1);
    struct profile_label label = {text(p, "k"), text(p, "v"), 0};
    uint32_t labels = profile_labels(p, &label, 1);
    int64_t v[] = {1, 10000000}, huge[] = {1, INT64_MAX};
    ck_assert_int_eq(profile_add(p, stack, 0, v), 0);
    ck_assert_int_eq(profile_add(p, stack, labels, v), 0);
    ck_assert_int_eq(profile_add(p, stack, 0, v), 0);
    ck_assert_uint_eq(p->samples.count, 2);
    ck_assert_int_eq(profile_sample_values(p, 0)[0], 2);
    ck_assert_int_eq(profile_sample_values(p, 0)[1], 20000000);
    ck_assert_int_eq(profile_total(p, 1), 30000000);
    ck_assert_int_eq(profile_total(p, 2), 0);
    ck_assert_int_eq(profile_add(p, stack, 0, huge), 0);
    ck_assert_int_eq(profile_sample_values(p, 0)[1], INT64_MAX);
    ck_assert_int_eq(profile_add(p, 12345, 0, v), -EINVAL);
    ck_assert_int_eq(profile_add(p, stack, 12345, v), -EINVAL);
    profile_destroy(p);
}
END_TEST

/* One strange profile, full of things that no sample uses. */
static struct profile *with_orphans(void)
{
    struct profile *p = profile_create(&cpu, 1);
    text(p, "orphan string");
    profile_mapping(p, 0x1000, 0x2000, 0, text(p, "/bin/main"), 0);
    profile_mapping(p, 0x3000, 0x4000, 0, text(p, "/lib/unused.so"), 0);
    uint32_t used = profile_mapping(p, 0x5000, 0x6000, 0, text(p, "/lib/used.so"), text(p, "beef"));
    uint32_t unused = named_location(p, "unused");
    profile_stack(p, &unused, 1);
    uint32_t locations[] = {profile_location(p, used, 0x5500, NULL, 0), named_location(p, "caller")};
    uint32_t function = profile_function(p, text(p, "late name"), 0, text(p, "file.c"), 3, 0);
    struct profile_line line = {function, 5, 0};
    profile_location_set_lines(p, locations[0], &line, 1);
    struct profile_label label = {text(p, "key"), text(p, "value"), 0}, idle = {text(p, "idle"), 0, 1};
    uint32_t idle_labels = profile_labels(p, &idle, 1), labels = profile_labels(p, &label, 1);
    int64_t v[] = {1, 5}, zero[] = {0, 0};
    profile_add(p, profile_stack(p, locations, 1), idle_labels, zero);
    profile_add(p, profile_stack(p, locations, 2), labels, v);
    profile_comment(p, "resource: a=b");
    profile_comment(p, "resource: a=b");
    return p;
}

START_TEST(sealing_leaves_only_what_samples_use_with_the_main_binary_first)
{
    struct profile *p = with_orphans();
    ck_assert_int_eq(profile_seal(p), 0);
    ck_assert_uint_eq(p->samples.count, 1);
    ck_assert_uint_eq(p->stacks.count - 1, 1);
    ck_assert_uint_eq(p->locations.count - 1, 2);
    ck_assert_uint_eq(p->functions.count - 1, 2);
    ck_assert_uint_eq(p->mappings.count - 1, 2);
    ck_assert_uint_eq(p->label_sets.count - 1, 1);
    ck_assert_uint_eq(p->comment_count, 1);
    ck_assert_str_eq(profile_string_text(p, p->comments[0]), "resource: a=b");
    ck_assert_str_eq(profile_string_text(p, p->mappings.items[1].filename), "/bin/main");
    ck_assert_str_eq(profile_string_text(p, p->mappings.items[2].filename), "/lib/used.so");
    ck_assert_str_eq(profile_string_text(p, p->mappings.items[2].build_id), "beef");
    const struct profile_stack *s = &p->stacks.items[p->samples.items[0].stack];
    ck_assert_uint_eq(s->count, 2);
    const struct profile_location *leaf = &p->locations.items[p->stacks.locations[s->at]];
    ck_assert_uint_eq(leaf->mapping, 2);
    const struct profile_line *line = &p->locations.lines[leaf->line_at];
    ck_assert_str_eq(profile_string_text(p, p->functions.items[line->function].name), "late name");
    ck_assert_str_eq(profile_string_text(p, p->functions.items[line->function].filename), "file.c");
    ck_assert_int_eq(line->line, 5);
    const struct profile_label *label = &p->label_sets.labels[p->label_sets.items[1].at];
    ck_assert_str_eq(profile_string_text(p, label->key), "key");
    ck_assert_str_eq(profile_string_text(p, label->text), "value");
    ck_assert_str_eq(profile_string_text(p, p->types[1].type), "cpu");
    ck_assert_str_eq(profile_string_text(p, p->period_type.unit), "nanoseconds");
    /* "", 4 of the types, 2 files and a build id, 2 functions and a file, label, comment */
    ck_assert_uint_eq(p->strings.count, 1 + 4 + 3 + 3 + 2 + 1);
    profile_destroy(p);
}
END_TEST

START_TEST(a_sealed_profile_takes_nothing_more)
{
    struct profile *p = with_orphans();
    ck_assert_int_eq(profile_seal(p), 0);
    ck_assert_int_eq(profile_seal(p), 0);
    int64_t v[] = {1, 1};
    ck_assert_int_eq(profile_add(p, 1, 0, v), -EROFS);
    ck_assert_int_eq(profile_comment(p, "late"), -EROFS);
    ck_assert_uint_eq(text(p, "late"), 0);
    ck_assert_uint_eq(profile_mapping(p, 1, 2, 3, 0, 0), 0);
    profile_sample_values(p, 0)[1] *= 2;
    ck_assert_int_eq(profile_total(p, 1), 10);
    profile_destroy(p);
}
END_TEST

START_TEST(without_memory_data_are_dropped_and_counted)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t location = named_location(p, "kept"), stack = profile_stack(p, &location, 1);
    int64_t v[] = {1, 1};
    ck_assert_int_eq(profile_add(p, stack, 0, v), 0);
    p->bytes_limit = p->bytes;
    unsigned lost = 0;
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "a function with a name %d", i);
        lost += text(p, name) == 0;
    }
    ck_assert_uint_gt(lost, 900);
    ck_assert_uint_eq(p->dropped, lost);
    ck_assert_int_eq(profile_add(p, stack, 0, v), 0); /* what is there still counts */
    ck_assert_int_eq(profile_total(p, 0), 2);
    ck_assert_uint_le(p->bytes, p->bytes_limit);
    ck_assert_int_eq(profile_seal(p), 0);
    ck_assert_str_eq(profile_string_text(p, p->functions.items[1].name), "kept");
    profile_destroy(p);
}
END_TEST

/* At every possible point of failure the tables stay consistent, which sealing walks through. */
START_TEST(any_limit_leaves_a_consistent_profile)
{
    for (size_t limit = 0; limit < 60000; limit += 97) {
        struct profile *p = profile_create(&cpu, 1);
        p->bytes_limit = limit;
        for (int i = 0; i < 200; i++) {
            char name[32];
            snprintf(name, sizeof name, "f%d", i);
            uint32_t m = profile_mapping(p, (uint64_t)i << 12, (uint64_t)(i + 1) << 12, 0, text(p, name), 0);
            uint32_t locations[] = {named_location(p, name),
                                    profile_location(p, m, (uint64_t)i << 12, NULL, 0)};
            struct profile_label label = {text(p, "k"), text(p, name), i};
            int64_t v[] = {1, i};
            profile_add(p, profile_stack(p, locations, 2), profile_labels(p, &label, 1), v);
        }
        ck_assert_int_eq(profile_seal(p), 0);
        ck_assert_uint_le(p->samples.count, 200);
        for (uint32_t i = 1; i < p->locations.count; i++)
            ck_assert_uint_lt(p->locations.items[i].mapping, p->mappings.count);
        profile_destroy(p);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile");
    TCase *tcase = tcase_create("profile");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, strings_are_kept_once_and_entry_0_is_empty);
    tcase_add_test(tcase, many_strings_survive_the_growth_of_the_table);
    tcase_add_test(tcase, bytes_that_are_not_utf8_become_replacement_characters);
    tcase_add_test(tcase, long_strings_are_cut_between_characters);
    tcase_add_test(tcase, equal_mappings_functions_locations_and_stacks_have_one_id);
    tcase_add_test(tcase, a_location_keeps_its_identity_when_it_gets_its_lines);
    tcase_add_test(tcase, label_sets_ignore_order_and_labels_without_a_key);
    tcase_add_test(tcase, equal_samples_are_added_up_and_sums_saturate);
    tcase_add_test(tcase, sealing_leaves_only_what_samples_use_with_the_main_binary_first);
    tcase_add_test(tcase, a_sealed_profile_takes_nothing_more);
    tcase_add_test(tcase, without_memory_data_are_dropped_and_counted);
    tcase_add_test(tcase, any_limit_leaves_a_consistent_profile);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
