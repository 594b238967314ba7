#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/options.h"
#include "config/values.h"

static struct config config;

static void load(char *const *environment)
{
    ck_assert_int_eq(config_load(&config, environment, NULL), 0);
}

#define LOAD(...) load((char *[]){__VA_ARGS__, NULL})

START_TEST(defaults_are_the_documented_ones)
{
    LOAD("PATH=/bin");
    ck_assert_int_eq(config.sdk_disabled, 0);
    ck_assert_int_eq(config.profiling_enabled, 1);
    ck_assert_int_eq(config.cpu_enabled, 1);
    ck_assert_int_eq(config.collection_interval_ms, 10000);
    ck_assert_int_eq(config.cpu_sampling_interval_micros, 10000);
    ck_assert_int_eq(config.exit_timeout_ms, 500);
    ck_assert_int_eq(config.max_stack_depth, 128);
    ck_assert_int_eq(config.console_top, 10);
    ck_assert_uint_eq(config.exporters, CONFIG_EXPORTER_OTLP);
    ck_assert_int_eq(config.log_level, LOG_LEVEL_ERROR);
    ck_assert_int_eq(config.console_verbosity, CONFIG_VERBOSITY_BASIC);
    ck_assert_int_eq(config.signal, CONFIG_SIGNAL_AUTO);
    ck_assert_str_eq(config.file_dir, "otelprof-profiles");
    ck_assert_ptr_null(config.service_name);
    ck_assert_ptr_null(config.log_file);
    ck_assert_ptr_null(config.include);
    ck_assert_uint_eq(config.warning_count, 0);
    config_release(&config);
}
END_TEST

START_TEST(every_kind_of_value_is_read)
{
    LOAD("OTEL_SDK_DISABLED=TRUE", "OTEL_PROFILING_ENABLED=False", "OTEL_SERVICE_NAME=shop",
         "OTEL_RESOURCE_ATTRIBUTES=a=b,c=d", "OTEL_PROFILES_EXPORTER= file ,CONSOLE,",
         "OTEL_PROFILING_LOG_LEVEL=Debug", "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS=100",
         "OTEL_PROFILING_MAX_STACK_DEPTH=1024", "OTEL_PROFILING_COLLECTION_INTERVAL_MS= 60000 ",
         "OTEL_PROFILING_EXIT_TIMEOUT_MS=0", "OTEL_PROFILING_SIGNAL=RTMIN+4",
         "OTEL_PROFILING_FILE_DIR=/tmp/x y", "OTEL_PROFILING_CONSOLE_VERBOSITY=detailed");
    ck_assert_int_eq(config.sdk_disabled, 1);
    ck_assert_int_eq(config.profiling_enabled, 0);
    ck_assert_str_eq(config.service_name, "shop");
    ck_assert_str_eq(config.resource_attributes, "a=b,c=d");
    ck_assert_uint_eq(config.exporters, CONFIG_EXPORTER_FILE | CONFIG_EXPORTER_CONSOLE);
    ck_assert_int_eq(config.log_level, LOG_LEVEL_DEBUG);
    ck_assert_int_eq(config.cpu_sampling_interval_micros, 100);
    ck_assert_int_eq(config.max_stack_depth, 1024);
    ck_assert_int_eq(config.collection_interval_ms, 60000);
    ck_assert_int_eq(config.exit_timeout_ms, 0);
    ck_assert_int_eq(config.signal, SIGRTMIN + 4);
    ck_assert_str_eq(config.file_dir, "/tmp/x y");
    ck_assert_int_eq(config.console_verbosity, CONFIG_VERBOSITY_DETAILED);
    ck_assert_uint_eq(config.warning_count, 0);
    config_release(&config);
}
END_TEST

START_TEST(texts_are_copies)
{
    char entry[] = "OTEL_SERVICE_NAME=shop";
    LOAD(entry);
    memset(entry, 'x', sizeof entry - 1);
    ck_assert_str_eq(config.service_name, "shop");
    config_release(&config);
}
END_TEST

START_TEST(empty_and_blank_values_are_unset)
{
    LOAD("OTEL_SERVICE_NAME=", "OTEL_PROFILING_FILE_DIR= \t ",
         "OTEL_PROFILING_MAX_STACK_DEPTH=", "OTEL_PROFILES_EXPORTER= , ,", "OTEL_SDK_DISABLED= ");
    ck_assert_ptr_null(config.service_name);
    ck_assert_str_eq(config.file_dir, "otelprof-profiles");
    ck_assert_int_eq(config.max_stack_depth, 128);
    ck_assert_uint_eq(config.exporters, CONFIG_EXPORTER_OTLP);
    ck_assert_uint_eq(config.warning_count, 0);
    config_release(&config);
}
END_TEST

START_TEST(the_first_of_duplicate_variables_counts_as_in_getenv)
{
    static char *list[] = {"OTEL_SERVICE_NAME=first", "OTEL_SERVICE_NAME=second",
                           "OTEL_PROFILING_LOG_FILE=", "OTEL_PROFILING_LOG_FILE=/late", NULL};
    load(list);
    environ = list;
    ck_assert_str_eq(config.service_name, getenv("OTEL_SERVICE_NAME"));
    ck_assert_str_eq(getenv("OTEL_PROFILING_LOG_FILE"), "");
    ck_assert_ptr_null(config.log_file);
    config_release(&config);
}
END_TEST

static const struct {
    const char *entry, *warning;
} wrong_values[] = {
    {"OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS=99",
     "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS: \"99\" is outside 100 to 1000000 microseconds: 10000 is "
     "used"},
    {"OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS=1000001",
     "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS: \"1000001\" is outside 100 to 1000000 microseconds: 10000 "
     "is used"},
    {"OTEL_PROFILING_MAX_STACK_DEPTH=99999999999999999999999",
     "OTEL_PROFILING_MAX_STACK_DEPTH: \"99999999999999999999999\" is outside 16 to 1024 frames: 128 is used"},
    {"OTEL_PROFILING_MAX_STACK_DEPTH=18446744073709551744", /* 2^64 + 128 */
     "OTEL_PROFILING_MAX_STACK_DEPTH: \"18446744073709551744\" is outside 16 to 1024 frames: 128 is used"},
    {"OTEL_PROFILING_MAX_STACK_DEPTH=-20",
     "OTEL_PROFILING_MAX_STACK_DEPTH: \"-20\" is not a whole number: 128 is used"},
    {"OTEL_PROFILING_MAX_STACK_DEPTH=0x40",
     "OTEL_PROFILING_MAX_STACK_DEPTH: \"0x40\" is not a whole number: 128 is used"},
    {"OTEL_PROFILING_MAX_STACK_DEPTH=64.5",
     "OTEL_PROFILING_MAX_STACK_DEPTH: \"64.5\" is not a whole number: 128 is used"},
    {"OTEL_SDK_DISABLED=1", "OTEL_SDK_DISABLED: \"1\" is neither true nor false: false is used"},
    {"OTEL_PROFILING_ENABLED=no", "OTEL_PROFILING_ENABLED: \"no\" is neither true nor false: true is used"},
    {"OTEL_PROFILING_LOG_LEVEL=verbose",
     "OTEL_PROFILING_LOG_LEVEL: \"verbose\" is not one of none, error, warn, info, debug: error is used"},
    {"OTEL_PROFILES_EXPORTER=jaeger",
     "OTEL_PROFILES_EXPORTER: \"jaeger\" is not one of otlp, otlp_grpc, otlp_http, pprof, "
     "pyroscope, file, console, none: this entry is ignored"},
    {"OTEL_PROFILING_SIGNAL=65",
     "OTEL_PROFILING_SIGNAL: \"65\" is not auto, a number 1 to 64, PROF or RTMIN+n: auto is used"},
    {"OTEL_PROFILING_SIGNAL=RTMIN+31",
     "OTEL_PROFILING_SIGNAL: \"RTMIN+31\" is not auto, a number 1 to 64, PROF or RTMIN+n: auto is used"},
    {"OTEL_PROFILING_SIGNAL=9",
     "OTEL_PROFILING_SIGNAL: \"9\" cannot be used for sampling (the kernel, a fault or libc has "
     "it): auto is used"},
    {"OTEL_PROFILING_LOG_LEVEL=a\nb\xff\x1b[31m",
     "OTEL_PROFILING_LOG_LEVEL: \"a?b??[31m\" is not one of none, error, warn, info, debug: error is used"},
};

START_TEST(a_wrong_value_keeps_the_default_and_says_so)
{
    struct config fresh;
    char *one[] = {(char *)wrong_values[_i].entry, NULL}, *none[] = {NULL};
    load(one);
    ck_assert_uint_eq(config.warning_count, 1);
    ck_assert_str_eq(config.warnings[0], wrong_values[_i].warning);
    ck_assert_int_eq(config_load(&fresh, none, NULL), 0);
    /* All but the file_dir pointer and the warnings is as by default. */
    ck_assert_mem_eq(&config, &fresh, offsetof(struct config, service_name));
    config_release(&config);
    config_release(&fresh);
}
END_TEST

START_TEST(unknown_exporters_are_left_out_of_the_list)
{
    LOAD("OTEL_PROFILES_EXPORTER=jaeger,pprof,otlp_http");
    ck_assert_uint_eq(config.exporters, CONFIG_EXPORTER_PPROF | CONFIG_EXPORTER_OTLP_HTTP);
    ck_assert_uint_eq(config.warning_count, 1);
    config_release(&config);
    LOAD("OTEL_PROFILES_EXPORTER=none");
    ck_assert_uint_eq(config.exporters, 0);
    ck_assert_uint_eq(config.warning_count, 0);
    config_release(&config);
    LOAD("OTEL_PROFILES_EXPORTER=none,file");
    ck_assert_uint_eq(config.exporters, CONFIG_EXPORTER_FILE);
    ck_assert_uint_eq(config.warning_count, 1);
    config_release(&config);
}
END_TEST

START_TEST(hostile_entries_do_no_harm)
{
    size_t size = 1 << 20;
    char *huge = malloc(size);
    memset(huge, '9', size);
    huge[size - 1] = 0;
    memcpy(huge, "OTEL_PROFILING_CONSOLE_TOP=", 27);
    LOAD("", "=", "OTEL_SERVICE_NAME", "OTEL_SERVICE_NAMEX=a", "OTEL_SERVICE_NAM=a", "\xff\xfe=\xff", huge,
         "OTEL_PROFILING_LOG_FILE=\xff\xfe");
    ck_assert_ptr_null(config.service_name);
    ck_assert_int_eq(config.console_top, 10);
    ck_assert_str_eq(config.log_file, "\xff\xfe");
    ck_assert_uint_eq(config.warning_count, 1);
    ck_assert_uint_lt(strlen(config.warnings[0]), 512);
    config_release(&config);
    free(huge);
}
END_TEST

static const struct {
    const char *text;
    int number;
} signals[] = {{"PROF", SIGPROF},   {"sigprof", SIGPROF},
               {"27", SIGPROF},     {"SIGUSR2", SIGUSR2},
               {"64", 64},          {"RTMIN+30", 64},
               {"SIGRTMIN+1", 35},  {"SEGV", -EPERM},
               {"SIGKILL", -EPERM}, {"33", -EPERM},
               {"RTMIN", -EPERM},   {"0", -EINVAL},
               {"RTMIN+", -EINVAL}, {"RTMIN+99999999999999999999", -EINVAL},
               {"", -EINVAL},       {"SIG", -EINVAL}};

START_TEST(signals_are_read_by_number_and_name)
{
    ck_assert_int_eq(value_signal(signals[_i].text, strlen(signals[_i].text)), signals[_i].number);
}
END_TEST

START_TEST(warnings_are_written_only_when_asked)
{
    char path[] = "/tmp/options_test.XXXXXX", text[512] = "";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    log_configure(LOG_LEVEL_WARN, path);
    LOAD("OTEL_SDK_DISABLED=yes");
    ck_assert_int_eq(read(fd, text, sizeof text - 1), 0);
    config_report_warnings(&config);
    ck_assert_int_gt(read(fd, text, sizeof text - 1), 0);
    ck_assert_ptr_nonnull(
        strstr(text, "warning: OTEL_SDK_DISABLED: \"yes\" is neither true nor false: false is used\n"));
    unlink(path);
    close(fd);
}
END_TEST

static void collect(const char *line, void *context)
{
    strcat(context, line);
    strcat(context, "\n");
}

START_TEST(the_reference_is_a_markdown_table_of_all_options)
{
    static char text[16384];
    config_write_reference(collect, text);
    ck_assert_int_eq(strncmp(text, "| Variable | Value | Default | Meaning |\n|---|---|---|---|\n", 58), 0);
    ck_assert_ptr_nonnull(
        strstr(text, "\n| `OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS` | 100 to 1000000 microseconds | "
                     "`10000` | "));
    int rows = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), rows++) {
        int bars = 0;
        for (char *c = line; *c; c++) bars += *c == '|';
        ck_assert_int_eq(bars, 5);
        ck_assert_int_eq(line[strlen(line) - 1], '|');
    }
    ck_assert_int_eq(rows, 2 + 24);
}
END_TEST

START_TEST(the_environment_is_that_of_libc)
{
    ck_assert_ptr_eq(config_environment(), environ);
}
END_TEST

/* Before libc has set environ, and after a copy relocation left ours empty, it is NULL. */
START_TEST(without_environ_the_environment_comes_from_proc)
{
    if (!getenv("OPTIONS_TEST_CHILD")) {
        pid_t child = fork();
        if (!child) {
            setenv("OPTIONS_TEST_CHILD", "a value=with, signs", 1);
            setenv("CK_RUN_CASE", "environment", 1);
            setenv("CK_FORK", "no", 1);
            setenv("CK_VERBOSITY", "silent", 1);
            execl("/proc/self/exe", "options_test", NULL);
            _exit(127);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        return;
    }
    char **saved = environ;
    environ = NULL;
    char **list = config_environment(), **again = config_environment();
    environ = saved;
    ck_assert_ptr_ne(list, saved);
    ck_assert_ptr_eq(list, again);
    size_t n = 0;
    for (; saved[n]; n++) ck_assert_str_eq(list[n], saved[n]);
    ck_assert_ptr_null(list[n]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *values = tcase_create("values"), *environment = tcase_create("environment");
    tcase_add_test(values, defaults_are_the_documented_ones);
    tcase_add_test(values, every_kind_of_value_is_read);
    tcase_add_test(values, texts_are_copies);
    tcase_add_test(values, empty_and_blank_values_are_unset);
    tcase_add_test(values, the_first_of_duplicate_variables_counts_as_in_getenv);
    tcase_add_loop_test(values, a_wrong_value_keeps_the_default_and_says_so, 0,
                        sizeof wrong_values / sizeof *wrong_values);
    tcase_add_test(values, unknown_exporters_are_left_out_of_the_list);
    tcase_add_test(values, hostile_entries_do_no_harm);
    tcase_add_loop_test(values, signals_are_read_by_number_and_name, 0, sizeof signals / sizeof *signals);
    tcase_add_test(values, warnings_are_written_only_when_asked);
    tcase_add_test(values, the_reference_is_a_markdown_table_of_all_options);
    tcase_add_test(environment, the_environment_is_that_of_libc);
    tcase_add_test(environment, without_environ_the_environment_comes_from_proc);
    suite_add_tcase(suite, values);
    suite_add_tcase(suite, environment);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
