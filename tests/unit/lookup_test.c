/* What is found without dlsym is what dlsym finds. */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "lookup.h"

START_TEST(every_function_that_we_override_is_dlsyms)
{
    static const char *const names[] = {"pthread_create",  "clone",       "sigaction",    "signal",
                                        "pthread_sigmask", "sigprocmask", "sigwait",      "exit",
                                        "dlclose",         "sigwaitinfo", "sigtimedwait", "signalfd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ck_assert_ptr_nonnull(dlsym(RTLD_NEXT, names[i]));
        ck_assert_msg(lookup_next(names[i]) == dlsym(RTLD_NEXT, names[i]), "%s", names[i]);
    }
}
END_TEST

START_TEST(of_several_versions_it_is_the_default)
{
    ck_assert_ptr_nonnull(dlvsym(RTLD_NEXT, "posix_spawn", "GLIBC_2.2.5"));
    ck_assert_ptr_ne(dlsym(RTLD_NEXT, "posix_spawn"), dlvsym(RTLD_NEXT, "posix_spawn", "GLIBC_2.2.5"));
    ck_assert_ptr_eq(lookup_next("posix_spawn"), dlsym(RTLD_NEXT, "posix_spawn"));
}
END_TEST

START_TEST(what_is_nowhere_or_no_function_is_not_found)
{
    ck_assert_ptr_null(lookup_next("otelprof_no_such_function"));
    ck_assert_ptr_null(lookup_next(""));
    ck_assert_ptr_null(lookup_next("environ"));
    ck_assert_ptr_null(lookup_next("lookup_next"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lookup");
    TCase *test = tcase_create("this process");
    tcase_add_test(test, every_function_that_we_override_is_dlsyms);
    tcase_add_test(test, of_several_versions_it_is_the_default);
    tcase_add_test(test, what_is_nowhere_or_no_function_is_not_found);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
