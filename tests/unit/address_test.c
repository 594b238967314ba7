/* Texts of addresses against inet_pton(3). */
#include <arpa/inet.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/address.h"

static void compare(const char *text)
{
    struct address address;
    uint8_t expected[16] = {0};
    int is_v6 = strchr(text, ':') != NULL;
    int ok = inet_pton(is_v6 ? AF_INET6 : AF_INET, text, expected) == 1;
    int rc = address_parse(text, strlen(text), &address);
    ck_assert_msg((rc == 0) == ok, "\"%s\": %d, inet_pton %d", text, rc, ok);
    if (!ok) return;
    ck_assert_int_eq(address.is_v6, is_v6);
    ck_assert_mem_eq(address.bytes, expected, 16);
}

START_TEST(known_texts)
{
    static const char *const texts[] = {"",
                                        "127.0.0.1",
                                        "0.0.0.0",
                                        "255.255.255.255",
                                        "256.0.0.1",
                                        "01.2.3.4",
                                        "1.2.3",
                                        "1.2.3.4.",
                                        "1.2.3.4.5",
                                        "::",
                                        "::1",
                                        "1::",
                                        ":1",
                                        "1:",
                                        ":::",
                                        "1::2::3",
                                        "1:2:3:4:5:6:7:8",
                                        "1:2:3:4:5:6:7",
                                        "1:2:3:4:5:6:7:8:9",
                                        "::2:3:4:5:6:7:8",
                                        "1:2:3:4:5:6:7::",
                                        "::1:2:3:4:5:6:7:8",
                                        "2001:DB8::aBcD",
                                        "::ffff:10.0.0.1",
                                        "1:2:3:4:5:6:1.2.3.4",
                                        "1:2:3:4:5:6:7:1.2.3.4",
                                        "::1.2.3.4:1",
                                        "::1.2.3",
                                        "::12345",
                                        "::g",
                                        "localhost"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) compare(texts[i]);
}
END_TEST

START_TEST(made_up_texts)
{
    static const char *const parts[] = {":", "::",   "1",   "ff",    "0", "10.1.2.3",
                                        ".", "abcd", "255", "12345", ":0"};
    srand(1);
    for (int i = 0; i < 300000; i++) {
        char text[128] = "";
        int count = rand() % 16;
        for (int k = 0; k < count; k++) strcat(text, parts[(size_t)rand() % (sizeof parts / sizeof *parts)]);
        compare(text);
    }
}
END_TEST

START_TEST(the_interface_of_a_local_address_is_a_number)
{
    struct address address;
    ck_assert_int_eq(address_parse("fe80::1%12", 10, &address), 0);
    ck_assert_uint_eq(address.interface, 12);
    ck_assert_uint_eq(address.bytes[15], 1);
    ck_assert_int_ne(address_parse("fe80::1%eth0", 12, &address), 0);
    ck_assert_int_ne(address_parse("fe80::1%", 8, &address), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("address");
    TCase *all = tcase_create("all");
    tcase_add_test(all, known_texts);
    tcase_add_test(all, made_up_texts);
    tcase_add_test(all, the_interface_of_a_local_address_is_a_number);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
