#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/package.h"
#include "sys/heap.h"

static char directory[] = "/tmp/package_test.XXXXXX";

static const struct {
    const char *json, *name;
} packages[] = {
    {"{\"name\":\"shop\"}", "shop"},
    {"\xef\xbb\xbf{ \"version\" : \"1\",\n\t\"name\" : \"@acme/shop\" }", "@acme/shop"},
    {"{\"author\":{\"name\":\"Eve\"},\"name\":\"shop\"}", "shop"},
    {"{\"a\":[{\"name\":\"x\"},\"}\",\"name\"],\"b\":\"\\\"name\\\":\",\"name\":\"shop\"}", "shop"},
    {"{\"private\":true,\"n\":-1.5e3,\"z\":null,\"name\":\"shop\",", "shop"},
    {"{\"name\":\"a\\u0062\\/\\n\\ud83d\\ude00\\u00e9\"}", "ab/\n\xf0\x9f\x98\x80\xc3\xa9"},
    {"{\"n\\u0061me\":\"shop\"}", "shop"},
    {"{\"name\":\"\\ud83dx\"}", "\xef\xbf\xbdx"},
    {"{\"name\":\"a\\u0000b\"}", NULL},
    {"{\"author\":{\"name\":\"Eve\"}}", NULL},
    {"{\"names\":\"x\",\"nam\":\"y\"}", NULL},
    {"{\"name\":5}", NULL},
    {"{\"name\":\"\"}", NULL},
    {"{\"name\":\"sho", NULL},
    {"{\"name\":\"a\\", NULL},
    {"{\"name\":\"a\\u12", NULL},
    {"{\"name\":\"\\q\"}", NULL},
    {"{\"name\"", NULL},
    {"[\"name\",\"x\"]", NULL},
    {"{\"a\":]]]],\"name\":\"x\"}", NULL},
    {"{\"a\":[[[[[", NULL},
    {"\"name\":\"x\"", NULL},
    {"{", NULL},
    {"", NULL},
};

START_TEST(the_name_is_the_top_level_string)
{
    char out[64];
    /* An exact heap copy, so that AddressSanitizer sees a read behind the end. */
    size_t len = strlen(packages[_i].json);
    char *json = malloc(len ? len : 1);
    memcpy(json, packages[_i].json, len);
    int n = package_json_string(json, len, "name", out, sizeof out);
    if (packages[_i].name) {
        ck_assert_int_eq(n, (int)strlen(packages[_i].name));
        ck_assert_str_eq(out, packages[_i].name);
    } else {
        ck_assert_int_eq(n, -ENOENT);
    }
    free(json);
}
END_TEST

START_TEST(a_name_that_does_not_fit_is_none)
{
    char out[5];
    ck_assert_int_eq(package_json_string("{\"name\":\"abcd\"}", 15, "name", out, sizeof out), 4);
    ck_assert_int_eq(package_json_string("{\"name\":\"abcde\"}", 16, "name", out, sizeof out), -ENOENT);
}
END_TEST

/* A tree of files below |directory|. */
static void write_file(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", directory, path);
    for (char *slash = full + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(full, 0755);
    }
    FILE *file = fopen(full, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_tree(void)
{
    char path[64];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    write_file("app/package.json", "{\"name\":\"@acme/shop\"}");
    write_file("app/dist/package.json", "{\"type\":\"module\"}");
    write_file("app/dist/server.js", "");
    write_file("app/node_modules/next/package.json", "{\"name\":\"next\"}");
    write_file("app/node_modules/next/dist/bin/next", "");
    write_file("lib/node_modules/pm2/package.json", "{\"name\":\"pm2\"}");
    write_file("app/sub/package.json", "{\"name\":\"sub\"}");
    write_file("bare/run.js", "");
    snprintf(path, sizeof path, "%s/fifo", directory);
    mkdir(path, 0755);
    strcat(path, "/package.json");
    mkfifo(path, 0644);
}

static void remove_tree(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    ck_assert_int_eq(system(command), 0);
}

static const struct {
    const char *cwd, *script, *name;
} scripts[] = {
    {"app", "dist/server.js", "@acme/shop"},
    {"app", "./dist/server.js", "@acme/shop"},
    {"app/dist", "server.js", "@acme/shop"},
    {"app/dist", "../sub/x.js", "sub"},
    {"app/sub", "..//./dist/missing.js", "@acme/shop"},
    {"app", ".", "@acme/shop"},
    {"app", "sub", "sub"},
    {"app", "node_modules/next/dist/bin/next", "@acme/shop"},
    {"app", "node_modules/.bin/next", "@acme/shop"},
    {"lib", "node_modules/pm2/bin/pm2", "pm2"},
    {"bare", "run.js", NULL},
    {"bare", "../../../../../../../../x.js", NULL},
    {"fifo", "run.js", NULL},
};

START_TEST(the_nearest_package_with_a_name_is_found)
{
    char cwd[256];
    snprintf(cwd, sizeof cwd, "%s/%s", directory, scripts[_i].cwd);
    char *name = package_find_name(scripts[_i].script, cwd);
    if (scripts[_i].name) {
        ck_assert_ptr_nonnull(name);
        ck_assert_str_eq(name, scripts[_i].name);
    } else {
        ck_assert_msg(!name, "%s", name);
    }
    heap_free(name);
}
END_TEST

START_TEST(hostile_paths_find_nothing)
{
    char *path = malloc(20001);
    for (int i = 0; i < 20000; i++) path[i] = i % 2 ? 'x' : '/';
    path[20000] = 0;
    ck_assert_ptr_null(package_find_name(path, "/"));
    ck_assert_ptr_null(package_find_name("x.js", "(unreachable)"));
    free(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("package");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_name_is_the_top_level_string, 0, sizeof packages / sizeof *packages);
    tcase_add_test(all, a_name_that_does_not_fit_is_none);
    tcase_add_test(all, hostile_paths_find_nothing);
    tcase_add_unchecked_fixture(all, make_tree, remove_tree);
    tcase_add_loop_test(all, the_nearest_package_with_a_name_is_found, 0, sizeof scripts / sizeof *scripts);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
