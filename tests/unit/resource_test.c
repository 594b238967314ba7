#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/resource.h"
#include "sys/heap.h"
#include "sys/process.h"
#include "sys/uuid.h"

static struct config config;
static struct resource resource;
static char directory[] = "/tmp/resource_test.XXXXXX";

static void detect(const char *path, const char *script)
{
    struct program program;
    program_from_path(&program, path);
    program.script = script;
    ck_assert_int_eq(resource_detect(&resource, &config, &program), 0);
}

static const char *text_of(const char *key)
{
    const struct resource_attribute *attribute = resource_find(&resource, key);
    return attribute ? attribute->text : NULL;
}

static void expect_match(const char *text, const char *pattern)
{
    regex_t regex;
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    ck_assert_msg(!regexec(&regex, text, 0, NULL, 0), "\"%s\" is not %s", text, pattern);
    regfree(&regex);
}

START_TEST(the_start_time_is_that_of_proc_stat_and_btime)
{
    char line[4096] = "";
    long long btime = 0;
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/stat", "r");
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "btime %lld", &btime) == 1) break;
    fclose(file);
    file = fopen("/proc/self/stat", "r");
    ck_assert_int_eq(
        fscanf(
            file,
            "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
            &ticks),
        1);
    fclose(file);
    double expected = (double)btime + (double)ticks / (double)sysconf(_SC_CLK_TCK);
    /* btime is cut to a whole second. */
    ck_assert_double_eq_tol((double)process_start_realtime() / 1e9, expected, 1.1);
}
END_TEST

START_TEST(the_start_ticks_survive_any_command_name)
{
    ck_assert_int_eq(
        process_start_ticks("7 (a) b) (c)) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 0 4711 99 1"), 4711);
    ck_assert_int_eq(process_start_ticks("7 (a) S 1 2 3"), -EINVAL);
    ck_assert_int_eq(process_start_ticks(""), -EINVAL);
    ck_assert_int_eq(
        process_start_ticks("7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 0 99999999999999999999 1"),
        -EINVAL);
}
END_TEST

START_TEST(uuids_are_of_version_4_and_differ)
{
    char one[UUID_TEXT_BYTES], two[UUID_TEXT_BYTES];
    for (int i = 0; i < 1000; i++) {
        uuid_random(one);
        uuid_random(two);
        expect_match(one, "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$");
        ck_assert_str_ne(one, two);
    }
}
END_TEST

START_TEST(detected_attributes_are_those_of_this_process)
{
    struct utsname names;
    memset(&config, 0, sizeof config);
    detect("/usr/lib/x/python3.11", NULL);
    uname(&names);
    ck_assert_str_eq(text_of("service.name"), "unknown_service:python3.11");
    ck_assert_str_eq(resource_service_name(&resource), "unknown_service:python3.11");
    ck_assert_int_eq(resource_find(&resource, "process.pid")->is_number, 1);
    ck_assert_int_eq(resource_find(&resource, "process.pid")->number, getpid());
    ck_assert_str_eq(text_of("process.executable.name"), "python3.11");
    ck_assert_str_eq(text_of("process.executable.path"), "/usr/lib/x/python3.11");
    ck_assert_str_eq(text_of("host.name"), names.nodename);
    ck_assert_str_eq(text_of("host.arch"), strcmp(names.machine, "x86_64") ? "arm64" : "amd64");
    ck_assert_str_eq(text_of("telemetry.sdk.name"), "libotelprof");
    ck_assert_str_eq(text_of("telemetry.sdk.language"), "cpp");
    expect_match(text_of("telemetry.sdk.version"), "^[0-9]+\\.[0-9]+\\.[0-9]+");
    expect_match(text_of("service.instance.id"), "^[0-9a-f-]{36}$");
    ck_assert_ptr_null(resource_find(&resource, "process.runtime.name"));
    ck_assert_ptr_null(resource_find(&resource, "process.command_line"));
    ck_assert_ptr_null(resource_find(&resource, "process.command_args"));
    resource_release(&resource);
}
END_TEST

START_TEST(the_creation_time_is_iso_8601_in_utc)
{
    struct tm tm = {0};
    memset(&config, 0, sizeof config);
    detect("/usr/bin/x", NULL);
    const char *text = text_of("process.creation.time");
    expect_match(text, "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$");
    ck_assert_ptr_nonnull(strptime(text, "%Y-%m-%dT%H:%M:%S", &tm));
    ck_assert_double_eq_tol((double)timegm(&tm), (double)process_start_realtime() / 1e9, 1.1);
    resource_release(&resource);
}
END_TEST

START_TEST(node_is_named_by_its_package)
{
    char path[64], command[192];
    memset(&config, 0, sizeof config);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(command, sizeof command, "mkdir %s/dist && echo '{\"name\":\"@acme/shop\"}' >%s/package.json",
             directory, directory);
    ck_assert_int_eq(system(command), 0);

    snprintf(path, sizeof path, "%s/dist/server.js", directory);
    detect("/usr/bin/node", path);
    ck_assert_str_eq(text_of("service.name"), "@acme/shop");
    ck_assert_str_eq(text_of("process.runtime.name"), "nodejs");
    ck_assert_str_eq(text_of("telemetry.sdk.language"), "nodejs");
    resource_release(&resource);

    ck_assert_int_eq(chdir(directory), 0);
    detect("/usr/bin/node", "dist/server.js");
    ck_assert_str_eq(text_of("service.name"), "@acme/shop");
    resource_release(&resource);

    detect("/usr/bin/node", NULL);
    ck_assert_str_eq(text_of("service.name"), "unknown_service:node");
    resource_release(&resource);

    snprintf(command, sizeof command, "rm -rf %s", directory);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(what_the_user_gave_wins)
{
    config =
        (struct config){.service_name = "by-name",
                        .resource_attributes = "service.name=by-attributes,host.name=mine,team=a%2Cb,"
                                               "process.pid=7,team2=x,team2=y,service.instance.id=fixed"};
    detect("/usr/bin/node", "/nowhere/x.js");
    ck_assert_str_eq(text_of("service.name"), "by-name");
    ck_assert_str_eq(text_of("host.name"), "mine");
    ck_assert_str_eq(text_of("team"), "a,b");
    ck_assert_str_eq(text_of("team2"), "y");
    ck_assert_str_eq(text_of("process.pid"), "7");
    ck_assert_int_eq(resource_set_text(&resource, "host.name", "other"), 0);
    ck_assert_int_eq(resource_set_text(&resource, "process.runtime.version", "24.1.0"), 0);
    ck_assert_str_eq(text_of("host.name"), "mine");
    ck_assert_str_eq(text_of("process.runtime.version"), "24.1.0");
    ck_assert_int_eq(resource_after_fork(&resource), 0);
    ck_assert_str_eq(text_of("service.instance.id"), "fixed");
    for (size_t i = 0; i < resource.count; i++)
        for (size_t k = 0; k < i; k++) ck_assert_str_ne(resource.items[i].key, resource.items[k].key);
    resource_release(&resource);

    config.service_name = NULL;
    detect("/usr/bin/x", NULL);
    ck_assert_str_eq(text_of("service.name"), "by-attributes");
    resource_release(&resource);
}
END_TEST

START_TEST(invalid_attributes_are_ignored_as_a_whole_with_an_error)
{
    char path[] = "/tmp/resource_test.XXXXXX", text[1024] = "";
    int fd = mkstemp(path);
    log_configure(LOG_LEVEL_ERROR, path);
    config = (struct config){.resource_attributes = "team=a,oops,service.name=x"};
    detect("/usr/bin/x", NULL);
    ck_assert_ptr_null(resource_find(&resource, "team"));
    ck_assert_str_eq(text_of("service.name"), "unknown_service:x");
    ck_assert_int_gt(read(fd, text, sizeof text - 1), 0);
    expect_match(text, "error: OTEL_RESOURCE_ATTRIBUTES: the entry \"oops\" has no '='");
    unlink(path);
    resource_release(&resource);
}
END_TEST

START_TEST(bytes_that_are_not_utf8_never_reach_an_attribute)
{
    config = (struct config){.service_name = "caf\xe9"};
    detect("/opt/\xff/\xfex", NULL);
    ck_assert_str_eq(text_of("service.name"), "caf\xef\xbf\xbd");
    ck_assert_str_eq(text_of("process.executable.name"), "\xef\xbf\xbdx");
    resource_release(&resource);
}
END_TEST

START_TEST(an_unknown_program_still_has_a_name)
{
    memset(&config, 0, sizeof config);
    detect(NULL, NULL);
    ck_assert_str_eq(text_of("service.name"), "unknown_service");
    ck_assert_ptr_null(resource_find(&resource, "process.executable.name"));
    resource_release(&resource);
}
END_TEST

START_TEST(a_forked_child_is_an_instance_of_its_own)
{
    memset(&config, 0, sizeof config);
    detect("/usr/bin/x", NULL);
    char *parent = strdup(text_of("service.instance.id"));
    char *created = strdup(text_of("process.creation.time"));
    usleep(50000);
    pid_t child = fork();
    if (!child) {
        heap_after_fork();
        size_t count = resource.count;
        if (resource_after_fork(&resource)) _exit(1);
        if (resource_find(&resource, "process.pid")->number != getpid()) _exit(2);
        if (!strcmp(text_of("service.instance.id"), parent)) _exit(3);
        if (strcmp(text_of("process.creation.time"), created) <= 0) _exit(4);
        _exit(resource.count == count ? 0 : 5);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    free(parent);
    free(created);
    resource_release(&resource);
}
END_TEST

START_TEST(values_are_written_as_text)
{
    char out[8];
    struct resource_attribute number = {.key = "n", .number = -42, .is_number = 1},
                              text = {.key = "t", .text = "abcdefghij"};
    ck_assert_uint_eq(resource_value_text(&number, out, sizeof out), 3);
    ck_assert_str_eq(out, "-42");
    ck_assert_uint_eq(resource_value_text(&text, out, sizeof out), 7);
    ck_assert_str_eq(out, "abcdefg");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resource");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_start_time_is_that_of_proc_stat_and_btime);
    tcase_add_test(all, the_start_ticks_survive_any_command_name);
    tcase_add_test(all, uuids_are_of_version_4_and_differ);
    tcase_add_test(all, node_is_named_by_its_package);
    tcase_add_test(all, detected_attributes_are_those_of_this_process);
    tcase_add_test(all, the_creation_time_is_iso_8601_in_utc);
    tcase_add_test(all, what_the_user_gave_wins);
    tcase_add_test(all, invalid_attributes_are_ignored_as_a_whole_with_an_error);
    tcase_add_test(all, bytes_that_are_not_utf8_never_reach_an_attribute);
    tcase_add_test(all, an_unknown_program_still_has_a_name);
    tcase_add_test(all, a_forked_child_is_an_instance_of_its_own);
    tcase_add_test(all, values_are_written_as_text);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
