/* /tmp/perf-PID.map: what is taken, what is refused, and how it is followed. */
#include "symbol/perfmap.h"
#include "node_path.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[64];

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/perfmap_test.%d", getpid());
    unlink(path);
}

static void teardown(void)
{
    unlink(path);
}

static void append(const char *text)
{
    FILE *file = fopen(path, "a");
    fputs(text, file);
    fclose(file);
}

static struct perfmap *map_of(const char *text)
{
    append(text);
    struct perfmap *map = perfmap_open_path(path, 0);
    ck_assert_ptr_nonnull(map);
    ck_assert_int_ge(perfmap_update(map), 0);
    return map;
}

static void check_at(struct perfmap *map, uintptr_t pc, uintptr_t start, size_t size, const char *name)
{
    struct perfmap_symbol symbol;
    ck_assert_int_eq(perfmap_lookup(map, pc, &symbol), 1);
    ck_assert_uint_eq(symbol.start, start);
    ck_assert_uint_eq(symbol.size, size);
    ck_assert_str_eq(symbol.name, name);
    ck_assert_uint_eq(symbol.name_len, strlen(name));
}

static void check_none(struct perfmap *map, uintptr_t pc)
{
    struct perfmap_symbol symbol;
    ck_assert_int_eq(perfmap_lookup(map, pc, &symbol), 0);
}

START_TEST(all_forms_of_lines_are_taken)
{
    struct perfmap *map = map_of("52bc740 4f0 LazyCompile:~fib /x/app.js:2\n"
                                 "0x1000 0x10 with prefix\n"
                                 "7f8c327e8680 16c JS:*get foo /x y/app.js:2:13\n"
                                 "fffffffffffff000 ABC upper\r\n"
                                 "2000 10 \n"
                                 "2010 10\n"
                                 "2020 10 \346\227\245\346\234\254\n");
    check_at(map, 0x52bc740, 0x52bc740, 0x4f0, "LazyCompile:~fib /x/app.js:2");
    check_at(map, 0x52bcc2f, 0x52bc740, 0x4f0, "LazyCompile:~fib /x/app.js:2");
    check_none(map, 0x52bcc30);
    check_at(map, 0x100f, 0x1000, 0x10, "with prefix");
    check_at(map, 0x7f8c327e8680, 0x7f8c327e8680, 0x16c, "JS:*get foo /x y/app.js:2:13");
    check_at(map, 0xfffffffffffff001, 0xfffffffffffff000, 0xabc, "upper");
    check_at(map, 0x2000, 0x2000, 0x10, "");
    check_at(map, 0x2010, 0x2010, 0x10, "");
    check_at(map, 0x2020, 0x2020, 0x10, "\346\227\245\346\234\254");
    struct perfmap_stats stats;
    perfmap_stats(map, &stats);
    ck_assert_uint_eq(stats.lines, 7);
    ck_assert_uint_eq(stats.skipped, 0);
    perfmap_close(map);
}
END_TEST

START_TEST(garbage_is_skipped_and_counted)
{
    char *text = malloc(300000), *at = text;
    at += sprintf(at, "\nhello\n1000\n1000 \n1000 zz x\n12345678901234567 10 x\n1000 0 empty\n"
                      "ffffffffffffffff 10 wraps\n-1 10 x\n0x 10 x\n");
    memset(at, 'a', 200000); /* longer than any buffer */
    at += 200000;
    strcpy(at, "\n3000 10 good\n");
    struct perfmap *map = map_of(text);
    struct perfmap_stats stats;
    perfmap_stats(map, &stats);
    ck_assert_uint_eq(stats.lines, 1);
    ck_assert_uint_eq(stats.skipped, 11);
    check_at(map, 0x3000, 0x3000, 0x10, "good");
    perfmap_close(map);
    free(text);
}
END_TEST

START_TEST(long_names_are_whole_up_to_the_limit_and_cut_between_characters)
{
    char text[8100], name[8000] = "";
    for (int i = 0; i < 120; i++) strcat(name, "ab\303\244");
    snprintf(text, sizeof text, "1000 10 %s\n", name);
    struct perfmap *map = map_of(text);
    check_at(map, 0x1000, 0x1000, 0x10, name);
    for (int i = 0; i < 1000; i++) strcat(name, "\303\244");
    snprintf(text, sizeof text, "2000 10 x%s\n", name);
    append(text);
    ck_assert_int_eq(perfmap_update(map), 1);
    struct perfmap_symbol symbol;
    ck_assert_int_eq(perfmap_lookup(map, 0x2000, &symbol), 1);
    ck_assert_uint_ge(symbol.name_len, PERFMAP_NAME_MAX - 4);
    ck_assert_int_eq(symbol.name[symbol.name_len - 1], '\244');
    ck_assert_int_eq(memcmp(symbol.name + 1, name, symbol.name_len - 1), 0);
    perfmap_close(map);
}
END_TEST

START_TEST(the_last_writer_wins)
{
    struct perfmap *map = map_of("1000 100 old\n1080 100 new\n");
    check_at(map, 0x1080, 0x1080, 0x100, "new");
    check_none(map, 0x1000);
    append("1000 100 newer\n");
    ck_assert_int_eq(perfmap_update(map), 1);
    check_at(map, 0x10ff, 0x1000, 0x100, "newer");
    check_none(map, 0x1100);
    perfmap_close(map);
}
END_TEST

START_TEST(half_a_line_waits_for_the_rest)
{
    struct perfmap *map = map_of("1000 10 whole\n2000 1");
    check_none(map, 0x2000);
    ck_assert_int_eq(perfmap_update(map), 0);
    append("0 rest");
    ck_assert_int_eq(perfmap_update(map), 0);
    append(" of it\n");
    ck_assert_int_eq(perfmap_update(map), 1);
    check_at(map, 0x200f, 0x2000, 0x10, "rest of it");
    perfmap_close(map);
}
END_TEST

START_TEST(a_truncated_or_replaced_file_starts_over)
{
    struct perfmap *map = map_of("1000 10 first first first\n");
    fclose(fopen(path, "w"));
    check_none(map, 0x1000);
    append("2000 10 second\n");
    ck_assert_int_eq(perfmap_update(map), 1);
    check_none(map, 0x1000);
    check_at(map, 0x2000, 0x2000, 0x10, "second");
    char other[80];
    snprintf(other, sizeof other, "%s.old", path);
    rename(path, other); /* keeps its inode busy */
    check_none(map, 0x2000);
    append("3000 10 third, in a longer file than the one before\n");
    check_none(map, 0x2000);
    ck_assert_int_eq(perfmap_update(map), 1);
    check_none(map, 0x2000);
    check_at(map, 0x3000, 0x3000, 0x10, "third, in a longer file than the one before");
    unlink(other);
    perfmap_close(map);
}
END_TEST

START_TEST(a_map_older_than_the_process_is_stale)
{
    append("1000 10 of somebody else\n");
    int64_t now = (int64_t)time(NULL) * 1000000000;
    struct timespec times[2] = {{time(NULL) - 100, 0}, {time(NULL) - 100, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    struct perfmap *map = perfmap_open_path(path, now - 50 * 1000000000LL);
    ck_assert_int_eq(perfmap_update(map), -ESTALE);
    check_none(map, 0x1000);
    perfmap_close(map);
    map = perfmap_open_path(path, now - 150 * 1000000000LL);
    ck_assert_int_eq(perfmap_update(map), 1);
    perfmap_close(map);
}
END_TEST

START_TEST(only_a_regular_file_of_our_user_is_read)
{
    char target[80];
    struct perfmap *map = perfmap_open_path(path, 0);
    ck_assert_int_eq(perfmap_update(map), -ENOENT);
    snprintf(target, sizeof target, "%s.target", path);
    fclose(fopen(target, "w"));
    ck_assert_int_eq(symlink(target, path), 0);
    ck_assert_int_eq(perfmap_update(map), -ELOOP);
    unlink(target);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(perfmap_update(map), -EPERM);
    unlink(path);
    append("1000 10 x\n");
    if (!geteuid()) {
        ck_assert_int_eq(chown(path, 1, 1), 0);
        ck_assert_int_eq(perfmap_update(map), -EPERM);
    }
    perfmap_close(map);
}
END_TEST

static int open_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

START_TEST(too_many_ranges_are_dropped_within_bounded_memory)
{
    FILE *file = fopen(path, "w");
    for (unsigned i = 0; i < PERFMAP_RANGE_MAX + 1000; i++) fprintf(file, "%x 40 f%u\n", i * 64 + 4096, i);
    fclose(file);
    int before = open_descriptors(), rounds = 0;
    struct perfmap *map = perfmap_open_path(path, 0);
    while (perfmap_update(map) > 0) rounds++;
    ck_assert_int_ge(rounds, 2); /* 16 MiB at a time */
    struct perfmap_stats stats;
    perfmap_stats(map, &stats);
    ck_assert_uint_eq(stats.ranges, PERFMAP_RANGE_MAX);
    ck_assert_uint_eq(stats.dropped, 1000);
    ck_assert_uint_le(stats.bytes, 48u << 20);
    check_at(map, 4096 + 777777 * 64, 4096 + 777777 * 64, 64, "f777777");
    check_none(map, 4096 + (PERFMAP_RANGE_MAX + 5) * 64);
    /* What overwrites old code still counts. */
    append("1000 40 again\n");
    ck_assert_int_eq(perfmap_update(map), 1);
    check_at(map, 4096, 4096, 64, "again");
    ck_assert_int_eq(open_descriptors(), before);
    perfmap_close(map);
}
END_TEST

static void check_runtime(const char *command, const char *name)
{
    char line[512];
    FILE *pid_pipe = popen(command, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, pid_pipe));
    pclose(pid_pipe);
    int pid = atoi(line);
    struct perfmap *map = perfmap_open(pid, 0);
    int taken = perfmap_update(map);
    struct perfmap_stats stats;
    perfmap_stats(map, &stats);
    ck_assert_int_gt(taken, 3);
    ck_assert_uint_eq(stats.skipped, 0);
    /* The line that grep finds last is the one that the map answers with. */
    snprintf(line, sizeof line, "grep -F '%s' /tmp/perf-%d.map | tail -1", name, pid);
    FILE *grep = popen(line, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, grep));
    pclose(grep);
    line[strcspn(line, "\n")] = 0;
    char *rest;
    uintptr_t start = strtoul(line, &rest, 16);
    size_t size = strtoul(rest, &rest, 16);
    check_at(map, start + size - 1, start, size, rest + 1);
    perfmap_close(map);
    snprintf(line, sizeof line, "/tmp/perf-%d.map", pid);
    unlink(line);
}

START_TEST(maps_of_node_are_read_without_a_skipped_line)
{
    char node[512], command[1024];
    node_path("24.22.3", node, sizeof node);
    snprintf(command, sizeof command,
             "%s --perf-basic-prof -e 'function fibo(n){return n<2?n:fibo(n-1)+fibo(n-2)} fibo(25)' & echo "
             "$!; wait",
             node);
    check_runtime(command, "fibo [eval]:1");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("perfmap");
    TCase *tcase = tcase_create("perfmap");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, all_forms_of_lines_are_taken);
    tcase_add_test(tcase, garbage_is_skipped_and_counted);
    tcase_add_test(tcase, long_names_are_whole_up_to_the_limit_and_cut_between_characters);
    tcase_add_test(tcase, the_last_writer_wins);
    tcase_add_test(tcase, half_a_line_waits_for_the_rest);
    tcase_add_test(tcase, a_truncated_or_replaced_file_starts_over);
    tcase_add_test(tcase, a_map_older_than_the_process_is_stale);
    tcase_add_test(tcase, only_a_regular_file_of_our_user_is_read);
    tcase_add_test(tcase, too_many_ranges_are_dropped_within_bounded_memory);
    tcase_add_test(tcase, maps_of_node_are_read_without_a_skipped_line);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
