/* The map of code ranges, against a list that is searched from end to end. */
#include "symbol/rangemap.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODEL_MAX = 4096 };

static struct {
    uint64_t start, len, payload;
} model[MODEL_MAX];
static size_t model_count;
static uint64_t released_sum, released_count;

static void release(void *context, uint64_t payload)
{
    ck_assert_ptr_eq(context, model);
    released_sum += payload;
    released_count++;
}

/* Takes what overlaps out of the model; returns the sum of the payloads. */
static uint64_t model_drop(uint64_t start, uint64_t len)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < model_count;) {
        if (model[i].start < start + len && start < model[i].start + model[i].len) {
            sum += model[i].payload;
            model[i] = model[--model_count];
        } else {
            i++;
        }
    }
    return sum;
}

static size_t model_find(uint64_t address)
{
    for (size_t i = 0; i < model_count; i++)
        if (address >= model[i].start && address - model[i].start < model[i].len) return i;
    return MODEL_MAX;
}

static void add(struct rangemap *map, uint64_t start, uint64_t len, uint64_t payload)
{
    uint64_t before = released_sum, sum = model_drop(start, len);
    ck_assert_int_eq(rangemap_insert(map, start, len, payload), 0);
    ck_assert_uint_eq(released_sum - before, sum);
    model[model_count].start = start;
    model[model_count].len = len;
    model[model_count++].payload = payload;
}

static void move(struct rangemap *map, size_t index, uint64_t to)
{
    uint64_t from = model[index].start, len = model[index].len, payload = model[index].payload;
    model[index] = model[--model_count];
    uint64_t before = released_sum, sum = model_drop(to, len);
    ck_assert_int_eq(rangemap_move(map, from, to), 0);
    ck_assert_uint_eq(released_sum - before, sum);
    model[model_count].start = to;
    model[model_count].len = len;
    model[model_count++].payload = payload;
}

static void compare(const struct rangemap *map, uint64_t space)
{
    ck_assert_uint_eq(map->count, model_count);
    for (int i = 0; i < 20; i++) {
        uint64_t address = (uint64_t)rand() % space;
        size_t want = model_find(address);
        struct rangemap_range got;
        ck_assert_int_eq(rangemap_lookup(map, address, &got), want != MODEL_MAX);
        if (want == MODEL_MAX) continue;
        ck_assert_uint_eq(got.start, model[want].start);
        ck_assert_uint_eq(got.len, model[want].len);
        ck_assert_uint_eq(got.payload, model[want].payload);
    }
}

START_TEST(random_operations_agree_with_a_naive_model)
{
    struct rangemap map;
    srand(7);
    for (int round = 0; round < 8; round++) {
        uint64_t space = 200ULL << round * 2;
        rangemap_init(&map, release, model);
        model_count = 0;
        for (int i = 0; i < 6000; i++) {
            int what = rand() % 10;
            if (what < 6 && model_count < MODEL_MAX)
                add(&map, (uint64_t)rand() % space, 1 + (uint64_t)rand() % 40, (uint64_t)rand());
            else if (what < 8 && model_count)
                move(&map, (size_t)rand() % model_count, (uint64_t)rand() % space);
            else if (model_count) {
                size_t index = (size_t)rand() % model_count;
                ck_assert_int_eq(rangemap_remove(&map, model[index].start), 0);
                model[index] = model[--model_count];
            }
            compare(&map, space + 50);
        }
        released_count = 0;
        rangemap_clear(&map);
        ck_assert_uint_eq(released_count, model_count);
        ck_assert_uint_eq(map.count, 0);
        ck_assert_uint_eq(rangemap_bytes(&map), 0);
    }
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    struct rangemap map;
    struct rangemap_range range;
    rangemap_init(&map, NULL, NULL);
    ck_assert_int_eq(rangemap_lookup(&map, 5, &range), 0);
    ck_assert_int_eq(rangemap_insert(&map, 5, 0, 1), -EINVAL);
    ck_assert_int_eq(rangemap_insert(&map, UINT64_MAX - 3, 8, 1), -EINVAL);
    ck_assert_int_eq(rangemap_insert(&map, UINT64_MAX - 8, 8, 1), 0);
    ck_assert_int_eq(rangemap_lookup(&map, UINT64_MAX - 1, &range), 1);
    ck_assert_int_eq(rangemap_lookup(&map, UINT64_MAX, &range), 0);
    ck_assert_int_eq(rangemap_insert(&map, 100, 10, 2), 0);
    ck_assert_int_eq(rangemap_remove(&map, 101), -ENOENT);
    ck_assert_int_eq(rangemap_move(&map, 101, 300), -ENOENT);
    ck_assert_int_eq(rangemap_move(&map, 100, UINT64_MAX - 3), -EINVAL);
    ck_assert_int_eq(rangemap_lookup(&map, 109, &range), 1);
    rangemap_clear(&map);
}
END_TEST

/* Code that slides by less than its size must not kill itself. */
START_TEST(a_range_may_move_onto_itself)
{
    struct rangemap map;
    struct rangemap_range range;
    released_count = 0;
    rangemap_init(&map, release, model);
    rangemap_insert(&map, 100, 50, 1);
    rangemap_insert(&map, 150, 50, 2);
    ck_assert_int_eq(rangemap_move(&map, 100, 110), 0);
    ck_assert_uint_eq(released_count, 1);
    ck_assert_int_eq(rangemap_lookup(&map, 105, &range), 0);
    ck_assert_int_eq(rangemap_lookup(&map, 159, &range), 1);
    ck_assert_uint_eq(range.payload, 1);
    ck_assert_uint_eq(map.count, 1);
    rangemap_clear(&map);
}
END_TEST

START_TEST(a_million_ranges_take_at_most_48_megabytes)
{
    struct rangemap map;
    struct rangemap_range range;
    rangemap_init(&map, NULL, NULL);
    for (uint64_t i = 0; i < 1000000; i++)
        ck_assert_int_eq(rangemap_insert(&map, (i * 7919 % 1000000) * 64, 64, i), 0);
    ck_assert_uint_eq(map.count, 1000000);
    ck_assert_uint_le(rangemap_bytes(&map), 48000000);
    size_t bytes = rangemap_bytes(&map);
    for (uint64_t i = 0; i < 1000000; i += 997) {
        ck_assert_int_eq(rangemap_lookup(&map, (i * 7919 % 1000000) * 64 + 63, &range), 1);
        ck_assert_uint_eq(range.payload, i);
    }
    /* Overwriting everything needs no more. */
    for (uint64_t i = 0; i < 1000000; i++) ck_assert_int_eq(rangemap_insert(&map, i * 64, 64, i), 0);
    ck_assert_uint_eq(rangemap_bytes(&map), bytes);
    rangemap_clear(&map);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rangemap");
    TCase *tcase = tcase_create("rangemap");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, random_operations_agree_with_a_naive_model);
    tcase_add_test(tcase, what_cannot_be_is_refused);
    tcase_add_test(tcase, a_range_may_move_onto_itself);
    tcase_add_test(tcase, a_million_ranges_take_at_most_48_megabytes);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
