/* Sinks: what is written where, and what happens when it cannot be. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "encode/console.h"
#include "encode/pprof.h"
#include "sink/file_name.h"
#include "sink/sink.h"
#include "sys/descriptors.h"
#include "sys/log.h"

static const struct profile_kind cpu = {
    "cpu", 2, {{"samples", "count"}, {"cpu", "nanoseconds"}}, {"cpu", "nanoseconds"}};
static const struct profile_kind wall = {"wall", 1, {{"wall", "nanoseconds"}}, {"wall", "nanoseconds"}};

static char scratch[] = "/tmp/sink_test.XXXXXX"; /* the working directory of each test */

static void enter_scratch(void)
{
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    ck_assert_int_eq(chdir(scratch), 0);
    umask(022);
}

static void leave_scratch(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    ck_assert_int_eq(system(command), 0);
}

static void add_leaf(struct profile *p, const char *name, const char *file, int64_t count)
{
    struct profile_line line = {profile_function(p, profile_string(p, name, strlen(name)), 0,
                                                 profile_string(p, file, strlen(file)), 12, 0),
                                14, 0};
    uint32_t location = profile_location(p, 0, 0, &line, 1);
    int64_t values[] = {count, count * 10000000};
    profile_add(p, profile_stack(p, &location, 1), 0, p->kind == &cpu ? values : values + 1);
}

static struct profile *sealed_profile(const struct profile_kind *kind, int64_t count)
{
    struct profile *p = profile_create(kind, 10000000);
    p->duration_nanos = 10000000000;
    profile_comment(p, "dropped: ring=3");
    if (count) add_leaf(p, "hot", "/app/hot.js", count);
    if (count) add_leaf(p, "cold", "/app/cold.js", 1);
    ck_assert_int_eq(profile_seal(p), 0);
    return p;
}

/* 2026-01-02T03:04:05.678Z: `date -u -d @1767323045`. */
static struct export_window window_of(struct profile **profiles, unsigned count)
{
    return (struct export_window){.profiles = profiles,
                                  .count = count,
                                  .service = "shop",
                                  .pid = 4711,
                                  .start_realtime = 1767323045678901234};
}

static struct config config_of(unsigned exporters, char *directory)
{
    return (struct config){.exporters = exporters, .file_dir = directory, .console_top = 10};
}

/* The content of the gzipped file at |path|; its size, or -1. */
static int inflate_file(const char *path, void *data, unsigned size)
{
    gzFile file = gzopen(path, "rb");
    if (!file) return -1;
    int n = gzread(file, data, size);
    gzclose(file);
    return n;
}

static unsigned count_entries(const char *directory)
{
    unsigned n = 0;
    DIR *dir = opendir(directory);
    if (!dir) return 0;
    for (struct dirent *e; (e = readdir(dir));) n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(dir);
    return n;
}

static unsigned count_lines(const char *path)
{
    unsigned n = 0;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = fgetc(file)) != EOF;) n += c == '\n';
    if (file) fclose(file);
    return n;
}

START_TEST(each_profile_is_a_file_named_after_service_kind_start_and_process)
{
    struct profile *profiles[] = {sealed_profile(&cpu, 5), sealed_profile(&wall, 7),
                                  sealed_profile(&wall, 0)};
    struct export_window window = window_of(profiles, 3);
    struct config config = config_of(CONFIG_EXPORTER_FILE, "out/deep");
    struct sinks *sinks = sinks_open(&config);
    ck_assert_uint_eq(sinks_enabled(sinks), CONFIG_EXPORTER_FILE);
    ck_assert_uint_eq(count_entries("out"), 0);
    ck_assert_int_eq(chdir("/"), 0); /* the directory was resolved before */
    ck_assert_int_eq(sinks_write(sinks, &window), 0);
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert_uint_eq(count_entries("out/deep/shop"), 2); /* no temporary files, none for the empty profile */
    struct encode_buffer expected = {0};
    char data[4096];
    ck_assert_int_eq(pprof_encode(profiles[0], &expected), 0);
    int n = inflate_file("out/deep/shop/cpu-20260102T030405.678Z-4711.pb.gz", data, sizeof data);
    ck_assert_int_eq(n, (int)expected.size);
    ck_assert_mem_eq(data, expected.data, expected.size);
    ck_assert_int_gt(inflate_file("out/deep/shop/wall-20260102T030405.678Z-4711.pb.gz", data, sizeof data),
                     0);
    struct stat st;
    ck_assert_int_eq(stat("out/deep/shop/cpu-20260102T030405.678Z-4711.pb.gz", &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0644);
    encode_buffer_free(&expected);
    for (int i = 0; i < 3; i++) profile_destroy(profiles[i]);
    sinks_close(sinks);
}
END_TEST

START_TEST(a_file_that_exists_is_never_replaced)
{
    struct profile *profiles[] = {sealed_profile(&cpu, 5)};
    struct export_window window = window_of(profiles, 1);
    struct config config = config_of(CONFIG_EXPORTER_FILE, scratch);
    struct sinks *sinks = sinks_open(&config);
    ck_assert_int_eq(mkdir("shop", 0755), 0);
    int fd = open("shop/cpu-20260102T030405.678Z-4711.pb.gz", O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(write(fd, "mine", 4), 4);
    close(fd);
    close(open("shop/.tmp-cpu-20260102T030405.678Z-4711.pb.gz", O_CREAT | O_WRONLY, 0600));
    for (int i = 0; i < 2; i++) ck_assert_int_eq(sinks_write(sinks, &window), 0);
    struct stat st;
    ck_assert_int_eq(stat("shop/cpu-20260102T030405.678Z-4711.pb.gz", &st), 0);
    ck_assert_int_eq(st.st_size, 4);
    char data[4096];
    ck_assert_int_gt(inflate_file("shop/cpu-20260102T030405.678Z-4711-1.pb.gz", data, sizeof data), 0);
    ck_assert_int_gt(inflate_file("shop/cpu-20260102T030405.678Z-4711-2.pb.gz", data, sizeof data), 0);
    profile_destroy(profiles[0]);
    sinks_close(sinks);
}
END_TEST

START_TEST(a_write_that_fails_leaves_no_file_and_the_next_window_is_tried)
{
    struct profile *profiles[] = {sealed_profile(&cpu, 5), sealed_profile(&wall, 5)};
    struct export_window window = window_of(profiles, 2);
    struct config config = config_of(CONFIG_EXPORTER_FILE, scratch);
    struct sinks *sinks = sinks_open(&config);
    log_configure(LOG_LEVEL_ERROR, "log.txt");
    struct rlimit old, small;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    /* A file may have 100 bytes: the second part of the write fails with EFBIG. */
    signal(SIGXFSZ, SIG_IGN);
    small = (struct rlimit){100, old.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(sinks_write(sinks, &window), -EFBIG);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert_uint_eq(count_entries("shop"), 0);
    ck_assert_int_eq(sinks_write(sinks, &window), 0);
    ck_assert_uint_eq(count_entries("shop"), 2);
    for (int i = 0; i < 2; i++) profile_destroy(profiles[i]);
    sinks_close(sinks);
}
END_TEST

START_TEST(a_directory_that_cannot_be_made_is_named_with_cause_and_remedy_once)
{
    struct profile *profiles[] = {sealed_profile(&cpu, 5)};
    struct export_window window = window_of(profiles, 1);
    struct config config = config_of(CONFIG_EXPORTER_FILE, "file/below");
    struct sinks *sinks = sinks_open(&config);
    close(open("file", O_CREAT | O_WRONLY, 0600));
    log_configure(LOG_LEVEL_ERROR, "log.txt");
    for (int i = 0; i < 5; i++) ck_assert_int_eq(sinks_write(sinks, &window), -ENOTDIR);
    ck_assert_uint_eq(count_lines("log.txt"), 1);
    char line[1024] = "", path[256];
    FILE *log = fopen("log.txt", "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, log));
    fclose(log);
    snprintf(path, sizeof path, "%s/file/below/shop", scratch);
    ck_assert_ptr_nonnull(strstr(line, path));
    ck_assert_ptr_nonnull(strstr(line, "not a directory"));
    ck_assert_ptr_nonnull(strstr(line, "OTEL_PROFILING_FILE_DIR"));
    profile_destroy(profiles[0]);
    sinks_close(sinks);
}
END_TEST

START_TEST(services_become_one_path_component)
{
    static const struct {
        const char *service, *component;
    } cases[] = {{"shop", "shop"},
                 {"../../etc", ".._.._etc"},
                 {".", "_"},
                 {"..", "_."},
                 {"...", "..."},
                 {"a b/c\nd", "a_b_c_d"},
                 {"caf\xc3\xa9", "caf__"},
                 {"A-z_0.9@x", "A-z_0.9@x"},
                 {"", "unknown_service"},
                 {NULL, "unknown_service"},
                 {"unknown_service:node", "unknown_service_node"}};
    char out[FILE_NAME_COMPONENT_MAX], longer[1000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file_name_component(cases[i].service, out);
        ck_assert_str_eq(out, cases[i].component);
    }
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    file_name_component(longer, out);
    ck_assert_uint_eq(strlen(out), FILE_NAME_COMPONENT_MAX - 1);
}
END_TEST

START_TEST(times_are_those_of_gmtime)
{
    char out[FILE_NAME_TIME_MAX], expected[FILE_NAME_TIME_MAX], date[24];
    for (int64_t second = 0; second < 4200000000; second += 1234567) {
        time_t t = (time_t)second;
        struct tm tm;
        strftime(date, sizeof date, "%Y%m%dT%H%M%S", gmtime_r(&t, &tm));
        snprintf(expected, sizeof expected, "%s.%03dZ", date, (int)(second % 1000));
        file_name_time(second * 1000000000 + second % 1000 * 1000000 + 999999, out);
        ck_assert_str_eq(out, expected);
    }
    file_name_time(-5, out);
    ck_assert_str_eq(out, "19700101T000000.000Z");
}
END_TEST

START_TEST(network_sinks_are_not_there_yet_and_one_warning_says_so)
{
    struct config config = config_of(CONFIG_EXPORTER_OTLP | CONFIG_EXPORTER_PYROSCOPE, scratch);
    log_configure(LOG_LEVEL_WARN, "log.txt");
    struct sinks *sinks = sinks_open(&config);
    ck_assert_uint_eq(sinks_enabled(sinks), 0);
    ck_assert_uint_eq(count_lines("log.txt"), 1);
    char line[1024] = "";
    FILE *log = fopen("log.txt", "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, log));
    fclose(log);
    ck_assert_ptr_nonnull(strstr(line, " otlp pyroscope,"));
    ck_assert_ptr_nonnull(strstr(line, "OTEL_PROFILES_EXPORTER=file"));
    struct profile *profiles[] = {sealed_profile(&cpu, 1)};
    struct export_window window = window_of(profiles, 1);
    ck_assert_int_eq(sinks_write(sinks, &window), 0);
    ck_assert_uint_eq(count_entries("."), 1);
    profile_destroy(profiles[0]);
    sinks_close(sinks);
}
END_TEST

START_TEST(without_an_exporter_there_is_no_sink_and_no_word)
{
    struct config config = config_of(0, scratch);
    log_configure(LOG_LEVEL_DEBUG, "log.txt");
    struct sinks *sinks = sinks_open(&config);
    ck_assert_uint_eq(sinks_enabled(sinks), 0);
    ck_assert_uint_eq(count_lines("log.txt"), 0);
    sinks_close(sinks);
}
END_TEST

/* What the console sink writes for |profile| and |resource|; the caller frees it. */
static char *console_text(struct profile *profile, const struct resource *resource, int verbosity)
{
    struct export_window window = window_of(&profile, 1);
    struct config config = config_of(CONFIG_EXPORTER_CONSOLE, scratch);
    config.console_verbosity = verbosity;
    window.resource = resource;
    int old = dup(2), fd = open("console.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
    dup2(fd, 2);
    struct sinks *sinks = sinks_open(&config);
    ck_assert_int_eq(sinks_write(sinks, &window), 0);
    sinks_close(sinks);
    dup2(old, 2);
    close(old);
    char *text = calloc(1, 65536);
    ck_assert_int_ge(pread(fd, text, 65535, 0), 0);
    close(fd);
    return text;
}

START_TEST(the_console_shows_as_much_as_is_asked_for)
{
    static const char *const summary =
        "otelprof[4711]: cpu: 2 stacks, samples 4, cpu 40.00 ms in 10.00 s, dropped ring=3\n";
    static const char *const tables = "otelprof[4711]: cpu: period cpu 10.00 ms; 2 locations, 2 functions, 0 "
                                      "mappings, 0 label sets, 9 strings\n";
    static const char *const top = "otelprof[4711]: cpu:  1.  75.0 %  30.00 ms  hot /app/hot.js:12\n"
                                   "otelprof[4711]: cpu:  2.  25.0 %  10.00 ms  cold /app/cold.js:12\n";
    struct profile *p = sealed_profile(&cpu, 3);
    struct resource_attribute attributes[] = {{.key = "service.name", .text = "shop"},
                                              {.key = "process.pid", .number = 7, .is_number = 1}};
    struct resource resource = {.items = attributes, .count = 2};
    static const char *const who = "otelprof[4711]: resource: service.name=shop process.pid=7\n";
    char expected[2048], *text;
    text = console_text(p, &resource, CONFIG_VERBOSITY_BASIC);
    ck_assert_str_eq(text, summary);
    free(text);
    text = console_text(p, &resource, CONFIG_VERBOSITY_NORMAL);
    snprintf(expected, sizeof expected, "%s%s%s", who, summary, tables);
    ck_assert_str_eq(text, expected);
    free(text);
    text = console_text(p, NULL, CONFIG_VERBOSITY_DETAILED);
    snprintf(expected, sizeof expected, "%s%s%s", summary, tables, top);
    ck_assert_str_eq(text, expected);
    free(text);
    profile_destroy(p);
}
END_TEST

START_TEST(leaves_without_a_name_are_shown_by_file_and_offset)
{
    struct profile *p = profile_create(&cpu, 1);
    uint32_t m = profile_mapping(p, 0x5000, 0x9000, 0x1000, profile_string(p, "/lib/x.so", 9), 0);
    uint32_t in_file = profile_location(p, m, 0x5432, NULL, 0),
             nowhere = profile_location(p, 0, 0xabc, NULL, 0);
    int64_t three[] = {3, 3000}, two[] = {2, 2000}, one[] = {1, 1000};
    profile_add(p, profile_stack(p, &in_file, 1), 0, three);
    profile_add(p, profile_stack(p, &nowhere, 1), 0, two);
    profile_add(p, 0, 0, one);
    ck_assert_int_eq(profile_seal(p), 0);
    char *text = console_text(p, NULL, CONFIG_VERBOSITY_DETAILED);
    ck_assert_ptr_nonnull(strstr(text, " 1.  50.0 %  3.00 us  x.so+0x1432\n"));
    ck_assert_ptr_nonnull(strstr(text, " 2.  33.3 %  2.00 us  0xabc\n"));
    ck_assert_ptr_nonnull(strstr(text, " 3.  16.7 %  1.00 us  [no stack]\n"));
    free(text);
    profile_destroy(p);
}
END_TEST

START_TEST(names_cannot_write_lines_or_escapes_of_their_own)
{
    struct profile *p = profile_create(&cpu, 1);
    add_leaf(p, "evil\n\x1b[31mname", "/app/\rx.js", 1);
    ck_assert_int_eq(profile_seal(p), 0);
    char *text = console_text(p, NULL, CONFIG_VERBOSITY_DETAILED);
    ck_assert_ptr_nonnull(strstr(text, "evil??[31mname /app/?x.js:12\n"));
    ck_assert_ptr_null(strchr(text, 0x1b));
    free(text);
    profile_destroy(p);
}
END_TEST

START_TEST(the_console_does_not_write_to_a_stranger_on_descriptor_2)
{
    struct profile *profiles[] = {sealed_profile(&cpu, 1)};
    struct export_window window = window_of(profiles, 1);
    struct config config = config_of(CONFIG_EXPORTER_CONSOLE, scratch);
    descriptors_prepare();
    struct sinks *sinks = sinks_open(&config);
    int old = dup(2), fd = open("database", O_CREAT | O_RDWR, 0600);
    dup2(fd, 2);
    ck_assert_int_eq(sinks_write(sinks, &window), -EBADF);
    close(2);
    int closed = sinks_write(sinks, &window);
    dup2(old, 2);
    ck_assert_int_eq(closed, -EBADF);
    struct stat st;
    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert_int_eq(st.st_size, 0);
    profile_destroy(profiles[0]);
    sinks_close(sinks);
}
END_TEST

START_TEST(amounts_get_a_fitting_unit)
{
    static const struct {
        int64_t value;
        const char *unit, *text;
    } cases[] = {{0, "nanoseconds", "0 ns"},
                 {999, "nanoseconds", "999 ns"},
                 {1500, "nanoseconds", "1.50 us"},
                 {9980000000, "nanoseconds", "9.98 s"},
                 {-2500000, "nanoseconds", "-2.50 ms"},
                 {1536, "bytes", "1.50 KiB"},
                 {1023, "bytes", "1023 B"},
                 {3221225472, "bytes", "3.00 GiB"},
                 {412, "count", "412"},
                 {-1, "widgets", "-1 widgets"},
                 {INT64_MIN, "count", "-9223372036854775808"}};
    char out[CONSOLE_AMOUNT_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(console_amount(cases[i].value, cases[i].unit, out), cases[i].text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sink");
    TCase *tcase = tcase_create("sink");
    tcase_add_checked_fixture(tcase, enter_scratch, leave_scratch);
    tcase_add_test(tcase, each_profile_is_a_file_named_after_service_kind_start_and_process);
    tcase_add_test(tcase, a_file_that_exists_is_never_replaced);
    tcase_add_test(tcase, a_write_that_fails_leaves_no_file_and_the_next_window_is_tried);
    tcase_add_test(tcase, a_directory_that_cannot_be_made_is_named_with_cause_and_remedy_once);
    tcase_add_test(tcase, services_become_one_path_component);
    tcase_add_test(tcase, times_are_those_of_gmtime);
    tcase_add_test(tcase, network_sinks_are_not_there_yet_and_one_warning_says_so);
    tcase_add_test(tcase, without_an_exporter_there_is_no_sink_and_no_word);
    tcase_add_test(tcase, the_console_shows_as_much_as_is_asked_for);
    tcase_add_test(tcase, leaves_without_a_name_are_shown_by_file_and_offset);
    tcase_add_test(tcase, names_cannot_write_lines_or_escapes_of_their_own);
    tcase_add_test(tcase, the_console_does_not_write_to_a_stranger_on_descriptor_2);
    tcase_add_test(tcase, amounts_get_a_fitting_unit);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
