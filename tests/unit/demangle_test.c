/* Readable names, against c++filt, and the stack that the worst ones take. */
#include "symbol/demangle.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void check_name(const char *mangled, const char *want)
{
    char got[4096];
    size_t len = demangle(mangled, got, sizeof got);
    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(len, strlen(want));
}

START_TEST(cxx_names_look_as_from_cxxfilt)
{
    check_name("_ZN2v88internal7Isolate4InitEv", "v8::internal::Isolate::Init()");
    check_name("_ZNSt6vectorIiSaIiEE9push_backERKi",
               "std::vector<int, std::allocator<int> >::push_back(int const&)");
    check_name("_Z3foov.cold", "foo() [clone .cold]");
}
END_TEST

START_TEST(rust_names_have_no_hash)
{
    check_name("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place");
    check_name("_ZN61_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
               "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt");
    check_name("_RNvC6_123foo3bar", "123foo::bar");
    check_name("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
}
END_TEST

START_TEST(other_names_are_left_alone)
{
    char out[64] = "x";
    const char *plain[] = {"", "_", "main", "_start", "__libc_start_main", "_Z", "_R", "_Zqqq", "_ZN"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        ck_assert_uint_eq(demangle(plain[i], out, sizeof out), 0);
        ck_assert_str_eq(out, "");
    }
    ck_assert_uint_eq(demangle("_Z3foov", out, 0), 0);
}
END_TEST

START_TEST(a_small_buffer_cuts)
{
    char out[8];
    ck_assert_uint_eq(demangle("_ZN2v88internal7Isolate4InitEv", out, sizeof out), 7);
    ck_assert_str_eq(out, "v8::int");
}
END_TEST

START_TEST(every_name_of_libstdcxx_agrees_with_cxxfilt)
{
    /* The right column by c++filt, the left by us. */
    FILE *names =
        popen("f=$(ls /usr/lib/*/libstdc++.so.6 | head -1); nm -D --defined-only --format=posix "
              "--without-symbol-versions $f | cut -d' ' -f1 | grep ^_Z > /tmp/demangle_test.$PPID; "
              "c++filt --no-verbose < /tmp/demangle_test.$PPID | paste -d'\\t' /tmp/demangle_test.$PPID -; "
              "rm -f /tmp/demangle_test.$PPID",
              "r");
    char line[16384], got[8192];
    int compared = 0;
    while (fgets(line, sizeof line, names)) {
        line[strcspn(line, "\n")] = 0;
        char *want = strchr(line, '\t');
        ck_assert_ptr_nonnull(want);
        *want++ = 0;
        if (!demangle(line, got, sizeof got)) strcpy(got, line);
        ck_assert_str_eq(got, want);
        compared++;
    }
    pclose(names);
    ck_assert_int_gt(compared, 1000);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) /* whose frames are several times larger */
enum { STACK_BYTES = 1024 * 1024, BACKGROUND_STACK_BYTES = 256 * 1024 };

/* A real one, of 758 characters, must not fall to the guard. */
START_TEST(long_template_names_are_demangled)
{
    char name[2048], got[8192], unit[] = "St5tupleIJRKN2v85LocalINS_6ObjectEEEPN4node11EnvironmentEEE";
    strcpy(name, "_ZN1aI");
    for (int i = 0; i < 11; i++) strcat(name, unit);
    strcat(name, "E1fEv");
    ck_assert_uint_gt(strlen(name), 640);
    ck_assert_uint_gt(demangle(name, got, sizeof got), strlen(name));
}
END_TEST

static void *run(void *name)
{
    static char out[65536];
    demangle(name, out, sizeof out);
    return NULL;
}

/* Bytes of stack that demangling |name| touches, on a stack painted before. */
static size_t stack_taken(const char *name)
{
    unsigned char *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(stack, 0xa5, STACK_BYTES);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK_BYTES);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, &attributes, run, (void *)name), 0);
    pthread_join(thread, NULL);
    size_t untouched = 0;
    while (untouched < STACK_BYTES && stack[untouched] == 0xa5) untouched++;
    munmap(stack, STACK_BYTES);
    return STACK_BYTES - untouched;
}

/* |prefix|, then |unit| as often as the limit allows, then |suffix|. */
static void check_worst(const char *prefix, const char *unit, const char *suffix, size_t limit)
{
    char name[4096];
    strcpy(name, prefix);
    while (strlen(name) + strlen(unit) + strlen(suffix) <= limit) strcat(name, unit);
    strcat(name, suffix);
    size_t taken = stack_taken(name);
    if (getenv("DEMANGLE_VERBOSE")) printf("%4zu bytes, %s(%s)*: %zu\n", limit, prefix, unit, taken);
    ck_assert_msg(taken <= BACKGROUND_STACK_BYTES * 7 / 8, "%s(%s)* of %zu bytes takes %zu bytes of stack",
                  prefix, unit, limit, taken);
}

START_TEST(the_worst_names_fit_on_the_background_stack)
{
    static const char *const shapes[][3] = {
        {"_Z1f", "P", "i"},           {"_Z1f", "PK", "i"},
        {"_Z1f", "PF", "vvE"},        {"_Z1fI", "1AI", "iE"},
        {"_ZN", "1AI", "i"},          {"_Z1fI", "XadL_Z1g", "EE"},
        {"_Z1fIX", "ng", "Li1EEEvv"}, {"_Z1f", "M1A", "i"},
        {"_Z1f", "A1_", "i"},         {"_Z1fDT", "cv", "fp_E"},
        {"_Z", "Z1f", "vE1a"},        {"_Z1f", "U1x", "i"},
        {"_RMC1a", "R", "i"},         {"_RINvC1a1b", "R", "iE"},
        {"_RINvC1a1b", "T", "iE"},    {"_RINvC1a1b", "INtC1a1c", "iE"},
        {"_RNv", "Nv", "C1a1b"},      {"_ZN", "1A", "17h0123456789abcdefE"},
        {"_Z1fPFvvE", "S_S0_", "i"},  {"_Z1fIJ", "J", "EEvv"},
        {"_Z1f", "Dp", "i"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t limit = 64; limit <= 2048; limit += 64)
            check_worst(shapes[i][0], shapes[i][1], shapes[i][2], limit);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("demangle");
    TCase *tcase = tcase_create("demangle");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, cxx_names_look_as_from_cxxfilt);
    tcase_add_test(tcase, rust_names_have_no_hash);
    tcase_add_test(tcase, other_names_are_left_alone);
    tcase_add_test(tcase, a_small_buffer_cuts);
    tcase_add_test(tcase, every_name_of_libstdcxx_agrees_with_cxxfilt);
#if !defined(__SANITIZE_ADDRESS__)
    tcase_add_test(tcase, long_template_names_are_demangled);
    tcase_add_test(tcase, the_worst_names_fit_on_the_background_stack);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
