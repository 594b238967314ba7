#include <check.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "sys/heap.h"
#include "sys/utf8.h"

/* glibc's decoder in the C.UTF-8 locale is the oracle, but it takes four bytes to U+1FFFFF (2.36). */
static size_t libc_sequence(const char *text, size_t len)
{
    mbstate_t state = {0};
    wchar_t wide = 0;
    size_t n = mbrtowc(&wide, text, len, &state);
    if (len && !*text) return 1;
    return n > len || wide > 0x10ffff ? 0 : n;
}

START_TEST(sequences_are_valid_as_libc_says)
{
    static const unsigned char edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                          0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
                                          0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
    enum { EDGES = sizeof edges };
    ck_assert_ptr_nonnull(setlocale(LC_ALL, "C.UTF-8"));
    for (int i = 0; i < EDGES * EDGES * EDGES * EDGES; i++) {
        char text[4] = {(char)edges[i % EDGES], (char)edges[i / EDGES % EDGES],
                        (char)edges[i / EDGES / EDGES % EDGES], (char)edges[i / EDGES / EDGES / EDGES]};
        size_t len = (size_t)(i % 4) + 1;
        size_t n = utf8_sequence(text, len), expected = libc_sequence(text, len);
        if (n != expected) ck_abort_msg("%d: %zu instead of %zu bytes", i, n, expected);
    }
}
END_TEST

START_TEST(every_code_is_written_as_libc_does)
{
    ck_assert_ptr_nonnull(setlocale(LC_ALL, "C.UTF-8"));
    for (uint32_t code = 0; code < 0x110010; code++) {
        char ours[4], theirs[MB_LEN_MAX];
        mbstate_t state = {0};
        size_t n = utf8_put(code, ours), expected = wcrtomb(theirs, (wchar_t)code, &state);
        if (expected == (size_t)-1 || code > 0x10ffff) expected = 0;
        if (n != expected || memcmp(ours, theirs, n)) ck_abort_msg("U+%04x: %zu bytes", code, n);
    }
}
END_TEST

static const struct {
    const char *text;
    size_t len;
    const char *repaired;
} broken[] = {{"plain", 5, "plain"},
              {"", 0, ""},
              {"\xc3\xa9", 2, "\xc3\xa9"},
              {"a\xc3", 2, "a\xef\xbf\xbd"},
              {"\xff\xfe", 2, "\xef\xbf\xbd\xef\xbf\xbd"},
              {"a\0b", 3,
               "a\xef\xbf\xbd"
               "b"},
              {"\xe2\x82\xacx", 4, "\xe2\x82\xacx"}};

START_TEST(what_is_broken_becomes_the_replacement_character)
{
    char *out = utf8_repair(broken[_i].text, broken[_i].len);
    ck_assert_str_eq(out, broken[_i].repaired);
    ck_assert_int_eq(utf8_valid(out, strlen(out)), 1);
    heap_free(out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("utf8");
    TCase *all = tcase_create("all");
    tcase_add_test(all, sequences_are_valid_as_libc_says);
    tcase_add_test(all, every_code_is_written_as_libc_does);
    tcase_add_loop_test(all, what_is_broken_becomes_the_replacement_character, 0,
                        sizeof broken / sizeof *broken);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
