#include <check.h>
#include <errno.h>
#include <string.h>

#include "config/keyvalue.h"

static const struct {
    const char *text;
    const char *result; /* "key>value;" each, or NULL */
    const char *bad;    /* the entry named in the error */
    const char *reason;
} lists[] = {
    {"a=b,c=d", "a>b;c>d;", NULL, NULL},
    {" a = b , ,, c=d ,", "a>b;c>d;", NULL, NULL},
    {"a=", "a>;", NULL, NULL},
    {"a=1,a=2", "a>1;a>2;", NULL, NULL},
    {"k%2Cx=v%3D%2c%25%20", "k,x>v=,% ;", NULL, NULL},
    {"a=%C3%A9\xc3\xa9", "a>\xc3\xa9\xc3\xa9;", NULL, NULL},
    {"a=b+c", "a>b+c;", NULL, NULL},
    {"", "", NULL, NULL},
    {" , ,", "", NULL, NULL},
    {"a=b,oops,c=d", NULL, "oops", "has no '='"},
    {"a=b=c", NULL, "a=b=c", "has more than one '='"},
    {"a=b, =c", NULL, "=c", "has an empty key"},
    {"a=%4", NULL, "a=%4", "has a broken percent-encoding"},
    {"a=%", NULL, "a=%", "has a broken percent-encoding"},
    {"a=%zz", NULL, "a=%zz", "has a broken percent-encoding"},
    {"a=%-1", NULL, "a=%-1", "has a broken percent-encoding"},
    {"a=x%00y", NULL, "a=x%00y", "has a broken percent-encoding"},
    {"a=%ff", NULL, "a=%ff", "is not UTF-8"},
    {"a=%ED%A0%80", NULL, "a=%ED%A0%80", "is not UTF-8"},
    {"a=%C3,b=%A9", NULL, "a=%C3", "is not UTF-8"},
};

START_TEST(key_value_lists_are_decoded_or_discarded_as_a_whole)
{
    struct keyvalue *list;
    struct keyvalue_error error;
    size_t count;
    char joined[256] = "";
    int rc = keyvalue_parse(lists[_i].text, &list, &count, &error);
    ck_assert_int_eq(rc, lists[_i].result ? 0 : -EINVAL);
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(joined, list[i].key), ">");
        strcat(strcat(joined, list[i].value), ";");
    }
    if (lists[_i].result) {
        ck_assert_str_eq(joined, lists[_i].result);
    } else {
        ck_assert_ptr_null(list);
        ck_assert_uint_eq(error.len, strlen(lists[_i].bad));
        ck_assert_mem_eq(error.entry, lists[_i].bad, error.len);
        ck_assert_str_eq(error.reason, lists[_i].reason);
    }
    keyvalue_free(list, count);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keyvalue");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, key_value_lists_are_decoded_or_discarded_as_a_whole, 0,
                        sizeof lists / sizeof *lists);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
