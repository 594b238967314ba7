// SPDX-License-Identifier: Apache-2.0
// Whatever is in a file, reading it ends with a profile or a reason; run with OTELPROF_ASAN=ON this is a
// proof of sorts.
#include <check.h>
#include <stdlib.h>

#include "read/pprof.h"
#include "read/top.h"
#include "read_go_profile.h"
#include "read_message.h"

#define FLIPS 20000

// xorshift64*, so that a failure comes again.
static uint64_t seed = 20261130;
static uint64_t next_random(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717ULL;
}

// Reads and adds up a copy that is exactly as long as the data, so that a read behind the end is seen. 1 if
// it is valid.
static int survive(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    struct read_profile *profile = NULL;
    struct read_error error = {""};
    struct read_top top = {0};
    int failed = read_pprof_bytes(copy, size, &profile, &error);
    ck_assert_int_le(failed, 0);
    ck_assert_msg(failed ? error.text[0] != 0 : profile != NULL, "neither a profile nor a reason");
    if (!failed && read_top_add(&top, profile, "it", NULL, &error) == 0) read_top_sort(&top);
    read_top_free(&top);
    read_profile_free(profile);
    free(copy);
    return failed == 0;
}

static int survive_flips(const uint8_t *bytes, size_t size, size_t rounds)
{
    uint8_t copy[sizeof((struct message *)0)->bytes];
    int valid = 0;
    ck_assert_uint_le(size, sizeof copy);
    for (size_t round = 0; round < rounds; round++) {
        memcpy(copy, bytes, size);
        size_t flips = 1 + next_random() % 4;
        for (size_t i = 0; i < flips; i++) copy[next_random() % size] ^= (uint8_t)(1 + next_random() % 255);
        size_t length = next_random() % 8 ? size : next_random() % size;
        valid += survive(copy, length);
    }
    return valid;
}

START_TEST(every_truncation_of_a_gzipped_profile_is_refused)
{
    for (size_t size = 0; size < sizeof read_go_profile; size++)
        ck_assert_int_eq(survive(read_go_profile, size), 0);
    ck_assert_int_eq(survive(read_go_profile, sizeof read_go_profile), 1);
}
END_TEST

START_TEST(every_truncation_of_a_plain_profile_ends_well)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    for (size_t size = 0; size < message.size; size++) survive(message.bytes, size);
}
END_TEST

START_TEST(flipped_bytes_of_a_gzipped_profile_are_noticed)
{
    // The header's time, flags for names and the like carry no data, so a few stay valid.
    ck_assert_int_lt(survive_flips(read_go_profile, sizeof read_go_profile, FLIPS), FLIPS / 20);
}
END_TEST

START_TEST(flipped_bytes_of_a_plain_profile_end_well)
{
    struct message message = {.size = 0};
    put_sample_profile(&message);
    survive_flips(message.bytes, message.size, FLIPS);
}
END_TEST

START_TEST(noise_ends_well)
{
    uint8_t noise[512];
    for (int round = 0; round < FLIPS; round++) {
        size_t size = next_random() % sizeof noise;
        for (size_t i = 0; i < size; i++) noise[i] = (uint8_t)next_random();
        survive(noise, size);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_damage");
    TCase *tests = tcase_create("damage");
    tcase_set_timeout(tests, 50);
    tcase_add_test(tests, every_truncation_of_a_gzipped_profile_is_refused);
    tcase_add_test(tests, every_truncation_of_a_plain_profile_ends_well);
    tcase_add_test(tests, flipped_bytes_of_a_gzipped_profile_are_noticed);
    tcase_add_test(tests, flipped_bytes_of_a_plain_profile_end_well);
    tcase_add_test(tests, noise_ends_well);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
