// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // asprintf
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/query.h"
#include "read/store.h"
#include "read_message.h"

static char directory[] = "/tmp/otelprof-store-XXXXXX";
static struct read_error error;

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
}

// A profile of one sample of |value| in |type|.
static void write_profile(const char *name, const char *type, uint64_t value)
{
    struct message message = {.size = 0};
    put_value_type(&message, 1, 1, 2);
    put_sample(&message, (uint64_t[]){1}, 1, &value, 1);
    put_location(&message, 1, 0, 0x10, NULL, 0);
    put_strings(&message, (const char *[]){"", type, "nanoseconds"}, 3);
    write_file(name, message.bytes, message.size);
}

static void make_directory(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    char path[512];
    snprintf(path, sizeof path, "%s/web", directory);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void remove_directory(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    ck_assert_int_eq(system(command), 0);
}

static const struct read_store_file *file(const struct read_store *store, size_t number)
{
    return (const struct read_store_file *)store->files.rows + number;
}

START_TEST(a_directory_gives_its_profiles_in_order_and_nothing_else)
{
    static const char *const names[] = {"web/cpu-20261130T220000Z-7.pb.gz",
                                        "web/wall-20261130T220000Z-7.pb.gz", "a.pprof", "b.pprof.gz", "c.pb"};
    for (size_t i = 0; i < 5; i++) write_file(names[i], "x", 1);
    write_file("web/.cpu-20261130T220010Z-7.pb.gz", "x", 1);
    write_file("web/notes.txt", "x", 1);
    write_file("web/.pb", "x", 1);
    char loop[512];
    snprintf(loop, sizeof loop, "%s/web/loop", directory);
    ck_assert_int_eq(symlink("..", loop), 0);
    struct read_store store = {0};
    ck_assert_int_eq(read_store_add(&store, directory, &error), 0);
    ck_assert_uint_eq(store.files.count, 5);
    static const char *const order[] = {"a.pprof", "b.pprof.gz", "c.pb", "web/cpu-20261130T220000Z-7.pb.gz",
                                        "web/wall-20261130T220000Z-7.pb.gz"};
    static const char *const kinds[] = {"a", "b", "c", "cpu", "wall"};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_str_eq(file(&store, i)->path + strlen(directory) + 1, order[i]);
        ck_assert_str_eq(file(&store, i)->kind, kinds[i]);
    }
    read_store_keep_kind(&store, "wall");
    ck_assert_uint_eq(store.files.count, 1);
    ck_assert_str_eq(file(&store, 0)->kind, "wall");
    read_store_free(&store);
}
END_TEST

START_TEST(what_is_not_there_is_named)
{
    struct read_store store = {0};
    ck_assert_int_eq(read_store_add(&store, "/nowhere/at/all", &error), -ENOENT);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/at/all"));
    ck_assert_int_eq(read_store_add(&store, directory, &error), 0);
    ck_assert_uint_eq(store.files.count, 0);
    read_store_free(&store);
}
END_TEST

static int64_t total(const char *wanted)
{
    struct read_top top = {0};
    char *source = directory;
    int failed = read_query_top(&source, 1, wanted, &top, &error);
    int64_t result = failed ? failed : top.total;
    read_top_free(&top);
    return result;
}

START_TEST(a_directory_is_read_for_one_kind_cpu_before_others)
{
    ck_assert_int_eq(total(NULL), 0);
    write_profile("web/heap-1-1.pb", "inuse_space", 1);
    ck_assert_int_eq(total(NULL), 1);
    write_profile("web/wall-1-1.pb", "wall", 10);
    ck_assert_int_eq(total(NULL), 10);
    write_profile("web/cpu-1-1.pb", "cpu", 100);
    write_profile("web/cpu-2-1.pb", "cpu", 1000);
    ck_assert_int_eq(total(NULL), 1100);
    ck_assert_int_eq(total("cpu"), 1100);
    ck_assert_int_eq(total("wall"), 10);
    ck_assert_int_eq(total("inuse_space/nanoseconds"), 1);
    ck_assert_int_eq(total("delay"), -EINVAL);
}
END_TEST

START_TEST(a_damaged_file_in_a_directory_is_an_error_that_names_it)
{
    write_profile("web/cpu-1-1.pb", "cpu", 100);
    write_file("web/cpu-2-1.pb", "\x0a\xff", 2);
    ck_assert_int_eq(total(NULL), -EBADMSG);
    ck_assert_ptr_nonnull(strstr(error.text, "web/cpu-2-1.pb: "));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_store");
    TCase *tests = tcase_create("store");
    tcase_add_checked_fixture(tests, make_directory, remove_directory);
    tcase_add_test(tests, a_directory_gives_its_profiles_in_order_and_nothing_else);
    tcase_add_test(tests, what_is_not_there_is_named);
    tcase_add_test(tests, a_directory_is_read_for_one_kind_cpu_before_others);
    tcase_add_test(tests, a_damaged_file_in_a_directory_is_an_error_that_names_it);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
