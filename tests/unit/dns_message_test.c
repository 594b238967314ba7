/* DNS messages against libresolv's maker and reader of them. */
#include <arpa/nameser.h>
#include <check.h>
#include <resolv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/dns_message.h"

static const char *const names[] = {"localhost",
                                    "a.b",
                                    "otel-collector.monitoring.svc.cluster.local",
                                    "x.",
                                    "_under.score.example",
                                    "",
                                    ".",
                                    "a..b",
                                    ".a",
                                    "a.b..",
                                    "a123456789b123456789c123456789d123456789e123456789f123456789012.x",
                                    "a123456789b123456789c123456789d123456789e123456789f1234567890123.x"};

START_TEST(questions_are_those_of_libresolv)
{
    uint8_t ours[DNS_MESSAGE_MAX], theirs[DNS_MESSAGE_MAX];
    static const enum dns_type types[] = {DNS_A, DNS_AAAA};
    for (int t = 0; t < 2; t++) {
        int expected = res_mkquery(QUERY, names[_i], C_IN, types[t], NULL, 0, NULL, theirs, sizeof theirs);
        int len = dns_question(0x1234, names[_i], types[t], ours);
        /* To libresolv the empty name is the root. */
        if (!*names[_i] || !strcmp(names[_i], ".")) expected = -1;
        ck_assert_msg((len < 0) == (expected < 0), "%s: %d, libresolv %d", names[_i], len, expected);
        if (len < 0) continue;
        ck_assert_int_eq(len, expected);
        theirs[0] = 0x12;
        theirs[1] = 0x34;
        ck_assert_mem_eq(ours, theirs, len);
    }
}
END_TEST

START_TEST(long_names_are_refused)
{
    char name[400] = "";
    uint8_t out[DNS_MESSAGE_MAX], theirs[DNS_MESSAGE_MAX];
    for (size_t len = 1; len < 390; len++) {
        name[len - 1] = len % 20 ? 'a' : '.';
        if (!(len % 20)) continue;
        int expected = res_mkquery(QUERY, name, C_IN, DNS_A, NULL, 0, NULL, theirs, sizeof theirs);
        ck_assert_msg((dns_question(1, name, DNS_A, out) < 0) == (expected < 0), "%zu", len);
    }
}
END_TEST

static uint8_t question[DNS_MESSAGE_MAX], message[DNS_MESSAGE_MAX];
static size_t question_len, message_len;

static void put_record(const uint8_t *owner, size_t owner_len, unsigned type, const void *data, size_t len)
{
    uint8_t *at = message + message_len;
    memcpy(at, owner, owner_len);
    at += owner_len;
    uint8_t head[10] = {(uint8_t)(type >> 8), (uint8_t)type, 0, C_IN, 0, 0, 0, 60,
                        (uint8_t)(len >> 8),  (uint8_t)len};
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, data, len);
    message_len += owner_len + sizeof head + len;
    message[7]++;
}

/* An alias, a pointer to a name, a name in full; |rcode| in the head. */
static void make_answer(enum dns_type type, unsigned rcode)
{
    static const uint8_t pointer[] = {0xc0, 12}, full[] = {1, 'X', 2, 'y', 'z', 0};
    static const uint8_t addresses[3][16] = {{10, 0, 0, 1}, {0x20, 1, 0xd, 0xb8}, {192, 168, 7, 9}};
    size_t size = type == DNS_A ? 4 : 16;
    question_len = (size_t)dns_question(0xbeef, "service.example", type, question);
    memcpy(message, question, message_len = question_len);
    message[2] = 0x81;
    message[3] = (uint8_t)(0x80 | rcode);
    put_record(pointer, 2, 5, full, sizeof full);
    put_record(full, sizeof full, (unsigned)type, addresses[0], size);
    put_record(pointer, 2, type == DNS_A ? DNS_AAAA : DNS_A, addresses[1], type == DNS_A ? 16 : 4);
    put_record(pointer, 2, (unsigned)type, addresses[2], size);
}

/* libresolv's count of addresses in |message|, -1 if it cannot read it. */
static int count_by_libresolv(size_t len, unsigned type)
{
    ns_msg handle;
    ns_rr record;
    int found = 0;
    if (ns_initparse(message, (int)len, &handle)) return -1;
    for (int i = 0; i < ns_msg_count(handle, ns_s_an); i++) {
        if (ns_parserr(&handle, ns_s_an, i, &record)) return -1;
        found += ns_rr_type(record) == type && ns_rr_class(record) == C_IN &&
                 ns_rr_rdlen(record) == (type == DNS_A ? 4 : 16);
    }
    return found;
}

START_TEST(addresses_are_found_behind_aliases)
{
    struct address found[8];
    static const enum dns_type types[] = {DNS_A, DNS_AAAA};
    for (int t = 0; t < 2; t++) {
        size_t count = 0;
        make_answer(types[t], 0);
        ck_assert_int_eq(count_by_libresolv(message_len, types[t]), 2);
        ck_assert_int_eq(dns_answer(message, message_len, question, question_len, found, 8, &count),
                         DNS_FOUND);
        ck_assert_uint_eq(count, 2);
        ck_assert_int_eq(found[0].is_v6, types[t] == DNS_AAAA);
        ck_assert_uint_eq(found[0].bytes[0], 10);
        ck_assert_uint_eq(found[1].bytes[0], 192);
        ck_assert_uint_eq(found[1].bytes[3], 9);
    }
}
END_TEST

START_TEST(what_is_no_answer_to_the_question_is_not_taken)
{
    struct address found[8];
    size_t count = 0;
    make_answer(DNS_A, 0);
    for (size_t i = 0; i < question_len; i++) {
        if (i == 3 || (i >= 6 && i < 12)) continue; /* rcode and counts */
        message[i] ^= 0x80;
        ck_assert_msg(dns_answer(message, message_len, question, question_len, found, 8, &count) ==
                          DNS_NOT_OURS,
                      "byte %zu", i);
        message[i] ^= 0x80;
    }
    message[13] ^= 0x20; /* another case of a letter */
    ck_assert_int_eq(dns_answer(message, message_len, question, question_len, found, 8, &count), DNS_FOUND);
    ck_assert_int_eq(dns_answer(question, question_len, question, question_len, found, 8, &count),
                     DNS_NOT_OURS);
}
END_TEST

START_TEST(refusals_are_told_apart)
{
    static const enum dns_verdict verdicts[] = {DNS_FOUND,   DNS_FAILED, DNS_FAILED,
                                                DNS_NO_NAME, DNS_FAILED, DNS_FAILED};
    struct address found[8];
    size_t count = 0;
    make_answer(DNS_A, (unsigned)_i);
    ck_assert_int_eq(dns_answer(message, message_len, question, question_len, found, 8, &count),
                     verdicts[_i]);
    make_answer(DNS_A, 0);
    message[7] = 1;
    count = 0;
    ck_assert_int_eq(dns_answer(message, message_len, question, question_len, found, 8, &count),
                     DNS_NO_ADDRESS);
}
END_TEST

START_TEST(no_bytes_make_it_read_beyond_or_find_more_than_there_is)
{
    struct address found[3];
    srand(7);
    for (int round = 0; round < 300000; round++) {
        make_answer(round % 2 ? DNS_A : DNS_AAAA, 0);
        for (int k = rand() % 4; k >= 0; k--)
            message[question_len + (size_t)rand() % (message_len - question_len)] = (uint8_t)rand();
        size_t len = (size_t)rand() % 3 ? message_len
                                        : question_len + (size_t)rand() % (message_len - question_len),
               count = 0;
        uint8_t *exact = malloc(len); /* for the address sanitizer */
        memcpy(exact, message, len);
        enum dns_verdict verdict = dns_answer(exact, len, question, question_len, found, 3, &count);
        free(exact);
        ck_assert_uint_le(count, 3);
        ck_assert_int_eq(verdict == DNS_FOUND, count > 0);
        int expected = count_by_libresolv(len, round % 2 ? DNS_A : DNS_AAAA);
        if (expected >= 0) ck_assert_int_eq((int)count, expected < 3 ? expected : 3);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dns_message");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, questions_are_those_of_libresolv, 0, sizeof names / sizeof *names);
    tcase_add_test(all, long_names_are_refused);
    tcase_add_test(all, addresses_are_found_behind_aliases);
    tcase_add_test(all, what_is_no_answer_to_the_question_is_not_taken);
    tcase_add_loop_test(all, refusals_are_told_apart, 0, 6);
    tcase_add_test(all, no_bytes_make_it_read_beyond_or_find_more_than_there_is);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
