#include "symbol/scriptpath.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int strip;
    const char *directory, *url, *path;
} forms[] = {
    {0, NULL, "/srv/app/server.js", "/srv/app/server.js"},
    {0, NULL, "file:///srv/app/server.mjs", "/srv/app/server.mjs"},
    /* As url.pathToFileURL writes "/srv/my app/50% ü #1.mjs". */
    {0, NULL, "file:///srv/my%20app/50%25%20%C3%BC%20%231.mjs", "/srv/my app/50% \xC3\xBC #1.mjs"},
    {0, NULL, "file:///srv/100%", "/srv/100%"},
    {0, NULL, "file:///srv/%zz%4", "/srv/%zz%4"},
    {0, NULL, "/srv/a%20b.js", "/srv/a%20b.js"}, /* a path is not encoded */
    {0, NULL, "node:internal/timers", "node:internal/timers"},
    {0, NULL, "evalmachine.<anonymous>", "evalmachine.<anonymous>"},
    {0, NULL, "https://cdn.test/a%20b.js", "https://cdn.test/a%20b.js"},
    {0, NULL, "file://host/share/a.js", "file://host/share/a.js"},
    {0, NULL, "", ""},
    {0, "/srv/app", "/srv/app/lib/a.js", "lib/a.js"},
    {0, "/srv/app", "file:///srv/app/lib/a.mjs", "lib/a.mjs"},
    {0, "/srv/app", "/srv/application/a.js", "/srv/application/a.js"},
    {0, "/srv/app", "/srv/app", "/srv/app"},
    {0, "/srv/app", "node:fs", "node:fs"},
    {0, "/", "/srv/a.js", "/srv/a.js"},
    {SCRIPT_STRIP_DEPENDENCIES, NULL, "/srv/app/node_modules/pg/lib/client.js", ""},
    {SCRIPT_STRIP_DEPENDENCIES, NULL, "file:///srv/app/node_modules/@a/b/c.mjs", ""},
    {SCRIPT_STRIP_DEPENDENCIES, "/srv/app", "/srv/app/node_modules/pg/lib/client.js", ""},
    {SCRIPT_STRIP_DEPENDENCIES, NULL, "/srv/app/my_node_modules/a.js", "/srv/app/my_node_modules/a.js"},
    {SCRIPT_STRIP_DEPENDENCIES, NULL, "node:fs", "node:fs"},
    {SCRIPT_STRIP_ALL, NULL, "/srv/app/server.js", ""},
    {SCRIPT_STRIP_ALL, NULL, "node:fs", ""},
};

START_TEST(scripts_are_called_by_their_path)
{
    char out[4096];
    struct script_paths paths = {forms[_i].strip, forms[_i].directory};
    size_t len = script_path(&paths, forms[_i].url, strlen(forms[_i].url), out, sizeof out);
    ck_assert_mem_eq(out, forms[_i].path, len);
    ck_assert_uint_eq(len, strlen(forms[_i].path));
}
END_TEST

START_TEST(a_long_name_is_cut)
{
    char out[8];
    struct script_paths paths = {0, NULL};
    ck_assert_uint_eq(script_path(&paths, "/srv/app/server.js", 18, out, sizeof out), sizeof out);
    ck_assert_mem_eq(out, "/srv/app", sizeof out);
    ck_assert_uint_eq(script_path(&paths, "file:///srv/app/server.js", 25, out, sizeof out), sizeof out);
    ck_assert_mem_eq(out, "/srv/app", sizeof out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scriptpath");
    TCase *tcase = tcase_create("paths");
    tcase_add_loop_test(tcase, scripts_are_called_by_their_path, 0, sizeof forms / sizeof *forms);
    tcase_add_test(tcase, a_long_name_is_cut);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
