/* The README's table of options is the one that the options themselves print. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/options.h"

static char readme[256 * 1024];

static void must_be_in_readme(const char *line, void *context)
{
    ck_assert_msg(strstr(readme, line) != NULL, "README.md lacks the line\n%s", line);
    ++*(int *)context;
}

START_TEST(the_readme_has_every_option_as_it_is)
{
    int lines = 0;
    FILE *file = fopen(README_PATH, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(readme, 1, sizeof readme - 1, file), 0);
    fclose(file);
    config_write_reference(must_be_in_readme, &lines);
    ck_assert_int_gt(lines, 15);
}
END_TEST

static void print_line(const char *line, void *context)
{
    puts(line);
}

/* With an argument it prints the table instead, for whoever edits the README. */
int main(int argc, char **argv)
{
    if (argc > 1) {
        config_write_reference(print_line, NULL);
        return 0;
    }
    Suite *suite = suite_create("readme");
    TCase *tcase = tcase_create("readme");
    tcase_add_test(tcase, the_readme_has_every_option_as_it_is);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
