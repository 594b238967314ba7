/* The configuration file: its lines, what is wrong with them, and that the environment wins. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/options.h"
#include "config/settings_file.h"

static struct settings_file file;
static char text[SETTINGS_BYTES + 64];

static void parse(const char *content)
{
    memset(&file, 0, sizeof file);
    file.path = "/x.conf";
    snprintf(text, sizeof text, "%s", content);
    settings_file_parse(&file, text, strlen(content));
}

static const struct {
    const char *content, *entries[4];
} good[] = {
    {"", {NULL}},
    {"\n\n# A=1\n   # B=2\n \t \n", {NULL}},
    {"A=1", {"A=1"}},
    {"A=1\nB=2\n", {"A=1", "B=2"}},
    {"A=1\r\nB=2\r\n", {"A=1", "B=2"}},
    {"\xef\xbb\xbf"
     "A=1\n",
     {"A=1"}},
    {"  A \t=  1 2 \t\n", {"A=1 2"}},
    {"A=", {"A="}},
    {"A==x=y\n", {"A==x=y"}},
    {"A=b # c\n", {"A=b # c"}},
    {"A=\"b c\"\nB='d'\nC=\"e'\nD=\"", {"A=b c", "B=d", "C=\"e'", "D=\""}},
    {"A=\"\"\nAB=1\n", {"A=", "AB=1"}},
};

START_TEST(lines_are_settings_as_in_an_environment)
{
    size_t count = 0;
    parse(good[_i].content);
    while (count < 4 && good[_i].entries[count]) {
        ck_assert_uint_gt(file.count, count);
        ck_assert_str_eq(file.entries[count], good[_i].entries[count]);
        count++;
    }
    ck_assert_uint_eq(file.count, count);
    ck_assert_ptr_null(file.entries[count]);
    ck_assert_msg(!file.problem_count, "%s", file.problem);
}
END_TEST

static const struct {
    const char *content;
    size_t entries;
    unsigned problems;
    const char *problem;
} bad[] = {
    {"A=1\nwhat\nB=2\n", 2, 1,
     "/x.conf, line 2: \"what\" is not NAME=value: write it so, or begin a comment with #; the line is "
     "ignored"},
    {"\n\n =1\n", 0, 1,
     "/x.conf, line 3: \"=1\" is not NAME=value: write it so, or begin a comment with #; the line is "
     "ignored"},
    {"A=1\nB=2\nA=3\nx\n", 2, 2,
     "/x.conf, line 3: \"A\" is set a second time, and the first counts: remove one; the line is ignored"},
    {"\x1b[31m\xff\n", 0, 1,
     "/x.conf, line 1: \"?[31m?\" is not NAME=value: write it so, or begin a comment with #; the line is "
     "ignored"},
};

START_TEST(a_bad_line_is_told_and_the_rest_counts)
{
    parse(bad[_i].content);
    ck_assert_uint_eq(file.count, bad[_i].entries);
    ck_assert_uint_eq(file.problem_count, bad[_i].problems);
    ck_assert_str_eq(file.problem, bad[_i].problem);
}
END_TEST

START_TEST(more_settings_than_there_is_room_for_are_told)
{
    char content[SETTINGS_BYTES] = "";
    size_t n = 0;
    for (int i = 0; i < SETTINGS_MAX + 10; i++)
        n += (size_t)snprintf(content + n, sizeof content - n, "A%d=%d\n", i, i);
    parse(content);
    ck_assert_uint_eq(file.count, SETTINGS_MAX);
    ck_assert_str_eq(file.entries[SETTINGS_MAX - 1], "A127=127");
    ck_assert_ptr_null(file.entries[SETTINGS_MAX]);
    ck_assert_uint_eq(file.problem_count, 10);
    ck_assert_ptr_nonnull(strstr(file.problem, "line 129: \"A128\" is one setting too many"));
}
END_TEST

/* A file of |len| bytes of |content|. */
static const char *write_file(const char *content, size_t len)
{
    static char path[64];
    strcpy(path, "/tmp/settings_file_test.XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, content, len), (ssize_t)len);
    close(fd);
    return path;
}

START_TEST(a_file_is_read)
{
    const char *path = write_file("A=1\n", 4);
    settings_file_read(&file, path);
    unlink(path);
    ck_assert_uint_eq(file.count, 1);
    ck_assert_uint_eq(file.problem_count, 0);
    ck_assert_uint_eq(file.lines[0], 1);
}
END_TEST

START_TEST(a_file_that_is_too_long_counts_to_its_last_whole_line)
{
    static char content[SETTINGS_BYTES + 100];
    memset(content, '#', sizeof content);
    memcpy(content, "A=1\n", 4);
    memcpy(content + SETTINGS_BYTES - 10, "\nB=12345678901\n", 15);
    const char *path = write_file(content, sizeof content);
    settings_file_read(&file, path);
    unlink(path);
    ck_assert_uint_eq(file.count, 1);
    ck_assert_uint_eq(file.problem_count, 1);
    ck_assert_ptr_nonnull(strstr(file.problem, " is longer than 16 KiB"));
}
END_TEST

START_TEST(what_cannot_be_read_is_told_and_does_not_block)
{
    settings_file_read(&file, "/nonexistent/otelprof.conf");
    ck_assert_str_eq(file.problem, "/nonexistent/otelprof.conf cannot be read (errno 2): correct "
                                   "OTEL_PROFILING_CONFIG_FILE; the environment alone counts");
    settings_file_read(&file, "/tmp");
    ck_assert_ptr_nonnull(strstr(file.problem, "/tmp cannot be read (errno 21)"));
    char fifo[64];
    snprintf(fifo, sizeof fifo, "/tmp/settings_file_test.%d", (int)getpid());
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    settings_file_read(&file, fifo);
    unlink(fifo);
    ck_assert_uint_eq(file.count, 0);
    ck_assert_uint_eq(file.problem_count, 0);
}
END_TEST

#define LOAD(content, ...)                                                                                   \
    struct config config;                                                                                    \
    parse(content);                                                                                          \
    ck_assert_int_eq(config_load(&config, (char *[]){__VA_ARGS__, NULL}, &file), 0)

START_TEST(the_environment_wins_and_empty_is_unset)
{
    LOAD("OTEL_SERVICE_NAME=file\nOTEL_PROFILING_EXCLUDE=\nOTEL_PROFILING_CONSOLE_TOP=7\n"
         "OTEL_PROFILING_FILE_DIR=/file\nOTEL_PROFILING_MAX_STACK_DEPTH=64\n",
         "OTEL_SERVICE_NAME=environment", "OTEL_PROFILING_FILE_DIR=", "OTEL_PROFILING_MAX_STACK_DEPTH=wrong");
    ck_assert_str_eq(config.service_name, "environment");
    ck_assert_str_eq(config.file_dir, "/file");
    ck_assert_int_eq(config.console_top, 7);
    ck_assert_ptr_null(config.exclude);
    /* A variable that is set wins, even where it is wrong. */
    ck_assert_int_eq(config.max_stack_depth, 128);
    ck_assert_uint_eq(config.warning_count, 1);
    ck_assert_msg(!file.problem_count, "%s", file.problem);
    config_release(&config);
}
END_TEST

START_TEST(a_wrong_value_is_told_with_its_line)
{
    LOAD("# "
         "ours\nOTEL_PROFILING_CONSOLE_TOP=many\nOTEL_PROFILING_CPU_ENABLED=no\nOTEL_PROFILING_TIER_LABEL="
         "true\n",
         "A=1");
    ck_assert_uint_eq(file.problem_count, 2);
    ck_assert_str_eq(file.problem,
                     "/x.conf, line 2: OTEL_PROFILING_CONSOLE_TOP: \"many\" is not a whole number: 10 "
                     "is used; correct the line");
    ck_assert_int_eq(config.cpu_enabled, 1);
    ck_assert_int_eq(config.tier_label, 1);
    ck_assert_uint_eq(config.warning_count, 0);
    config_release(&config);
}
END_TEST

static const struct {
    const char *content, *problem;
} unknown[] = {
    {"OTEL_PROFILING_INCLUD=x\n",
     "/x.conf, line 1: OTEL_PROFILING_INCLUD is no option of this version: correct the "
     "name, or remove the line"},
    {"LD_PRELOAD=x\n",
     "/x.conf, line 1: LD_PRELOAD is no option of this version: correct the name, or remove the "
     "line"},
    {"otel_profiling_include=x\n",
     "/x.conf, line 1: otel_profiling_include is no option of this version: correct "
     "the name, or remove the line"},
    {"\nOTEL_PROFILING_CONFIG_FILE=/y\n",
     "/x.conf, line 2: OTEL_PROFILING_CONFIG_FILE counts in the environment "
     "alone: remove the line"},
    {"OTEL_TRACES_EXPORTER=otlp\nPYROSCOPE_SERVER_ADDRESS=x\nOTEL_EXPORTER_OTLP_ENDPOINT=y\n", ""},
};

START_TEST(a_name_that_nobody_has_is_told)
{
    LOAD(unknown[_i].content, "A=1");
    ck_assert_str_eq(file.problem, unknown[_i].problem);
    config_release(&config);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("settings_file");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, lines_are_settings_as_in_an_environment, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(all, a_bad_line_is_told_and_the_rest_counts, 0, sizeof bad / sizeof *bad);
    tcase_add_test(all, more_settings_than_there_is_room_for_are_told);
    tcase_add_test(all, a_file_is_read);
    tcase_add_test(all, a_file_that_is_too_long_counts_to_its_last_whole_line);
    tcase_add_test(all, what_cannot_be_read_is_told_and_does_not_block);
    tcase_add_test(all, the_environment_wins_and_empty_is_unset);
    tcase_add_test(all, a_wrong_value_is_told_with_its_line);
    tcase_add_loop_test(all, a_name_that_nobody_has_is_told, 0, sizeof unknown / sizeof *unknown);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
