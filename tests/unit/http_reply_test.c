/* Responses of HTTP/1.1, in one piece, byte by byte, and damaged. Dates against timegm(3). */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/http_date.h"
#include "net/http_reply.h"

static struct http_reply reply;
static const char *reason;

/* Feeds |bytes| in pieces of |piece|, then the end of the connection if |ends|: 0 or -EPROTO. */
static int feed(const char *bytes, size_t len, size_t piece, int ends)
{
    reason = "";
    http_reply_begin(&reply);
    for (size_t at = 0; at < len && reply.state != HTTP_DONE; at += piece) {
        size_t n = len - at < piece ? len - at : piece;
        char *exact = malloc(n); /* for the address sanitizer */
        memcpy(exact, bytes + at, n);
        int64_t taken = http_reply_take(&reply, exact, n, &reason);
        free(exact);
        if (taken < 0) return (int)taken;
        ck_assert_int_le(taken, (int64_t)n);
    }
    return ends ? http_reply_end(&reply, &reason) : reply.state == HTTP_DONE ? 0 : -EAGAIN;
}

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
    const char *bytes;
    int status, ends, closes;
    const char *body;
} good[] = {
    {OK "Content-Length: 5\r\n\r\nhello", 200, 0, 0, "hello"},
    {OK "content-length:5\r\n\r\nhello", 200, 0, 0, "hello"},
    {OK "Content-Length: 0\r\n\r\n", 200, 0, 0, ""},
    {"HTTP/1.1 204 No Content\r\n\r\n", 204, 0, 0, ""},
    {"HTTP/1.1 204\r\n\r\n", 204, 0, 0, ""},
    {"HTTP/1.1 200 \r\nX: y\n\r\nto the end", 200, 1, 1, "to the end"},
    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab", 200, 0, 1, "ab"},
    {OK "Connection: keep-alive, Close\r\nContent-Length: 1\r\n\r\na", 200, 0, 1, "a"},
    {OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n \r\nA\r\n0123456789\r\n0\r\n\r\n", 200, 0,
     0, "hello 0123456789"},
    {OK "Transfer-Encoding: gzip, chunked\r\nContent-Length: 3\r\n\r\n0\r\nTrailer: x\r\n\r\n", 200, 0, 0,
     ""},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" OK "Content-Length: 1\r\n\r\na",
     200, 0, 0, "a"},
    {"HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n", 503, 0, 0, ""},
};

START_TEST(whole_responses)
{
    size_t len = strlen(good[_i].bytes);
    for (size_t piece = 1; piece <= len; piece++) {
        ck_assert_msg(!feed(good[_i].bytes, len, piece, good[_i].ends), "pieces of %zu: %s", piece, reason);
        ck_assert_int_eq(reply.status, good[_i].status);
        ck_assert_int_eq(reply.closes, good[_i].closes);
        ck_assert_uint_eq(reply.body_size, strlen(good[_i].body));
        ck_assert_mem_eq(reply.body, good[_i].body, reply.body_size);
        ck_assert_int_eq(reply.retry_after, good[_i].status == 503 ? 120 : -1);
    }
}
END_TEST

static const struct {
    const char *bytes, *reason;
} bad[] = {
    {"SSH-2.0-OpenSSH_9.2\r\n", "the server does not speak"},
    {"\r\n", "the server does not speak"},
    {"HTTP/2 200\r\n", "the server does not speak"},
    {"HTTP/1.1 20\r\n", "the server does not speak"},
    {"HTTP/1.1 999 x\r\n", "the server does not speak"},
    {"HTTP/1.1 2000\r\n", "the server does not speak"},
    {OK "no colon\r\n", "it has a header without"},
    {OK "Content-Length: -1\r\n", "its Content-Length"},
    {OK "Content-Length: 1\r\nContent-Length: 2\r\n", "it has two different"},
    {OK "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "it has a chunk without"},
    {OK "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", "it has a chunk without"},
    {OK "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "it has a chunk that is longer"},
    {"", "the server closed"},
    {OK, "the server closed"},
    {OK "Content-Length: 5\r\n\r\nhell", "the server closed"},
    {OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "the server closed"},
};

START_TEST(what_is_no_response_is_said)
{
    size_t len = strlen(bad[_i].bytes);
    for (size_t piece = 1; piece <= len + 1; piece++) {
        ck_assert_int_eq(feed(bad[_i].bytes, len, piece, 1), -EPROTO);
        ck_assert_msg(!strncmp(reason, bad[_i].reason, strlen(bad[_i].reason)), "%s", reason);
    }
}
END_TEST

START_TEST(sizes_are_bounded)
{
    static char bytes[4 * HTTP_BODY_KEPT];
    memset(bytes, 'a', sizeof bytes);
    memcpy(bytes, OK, strlen(OK));
    ck_assert_int_eq(feed(bytes, sizeof bytes, 1000, 0), -EPROTO);
    ck_assert_str_eq(reason, "its head is too long");
    for (size_t i = strlen(OK); i < sizeof bytes; i += 4) memcpy(bytes + i, "a:b\n", 4);
    ck_assert_int_eq(feed(bytes, sizeof bytes, 1000, 0), -EPROTO);
    ck_assert_str_eq(reason, "its head is too long");
    for (size_t i = 0; i + 29 < sizeof bytes; i += 29)
        memcpy(bytes + i, "HTTP/1.1 100 Continue\r\na:b\r\n\r\n", 30);
    ck_assert_int_eq(feed(bytes, sizeof bytes, 1000, 0), -EPROTO);
    int head = snprintf(bytes, sizeof bytes, OK "Content-Length: %d\r\n\r\n", 3 * HTTP_BODY_KEPT);
    memset(bytes + head, 'b', sizeof bytes - (size_t)head);
    ck_assert_int_eq(feed(bytes, (size_t)head + 3 * HTTP_BODY_KEPT, 1000, 0), 0);
    ck_assert_uint_eq(reply.body_size, HTTP_BODY_KEPT);
}
END_TEST

START_TEST(no_bytes_do_harm)
{
    srand(11);
    for (int round = 0; round < 30000; round++) {
        size_t which = (size_t)rand() % (sizeof good / sizeof *good), len = strlen(good[which].bytes);
        char bytes[512];
        memcpy(bytes, good[which].bytes, len);
        for (int k = rand() % 4; k >= 0; k--) bytes[(size_t)rand() % len] = (char)rand();
        int whole = feed(bytes, len, len, 1);
        int status = reply.status;
        size_t body_size = reply.body_size;
        ck_assert_int_eq(feed(bytes, len, 1, 1), whole);
        ck_assert_int_eq(reply.status, status);
        ck_assert_uint_eq(reply.body_size, body_size);
    }
}
END_TEST

START_TEST(dates_are_timegms)
{
    for (int64_t t = 0; t < 6000000000; t += 86400 * 13 + 3723) {
        char text[64];
        time_t seconds = (time_t)t;
        struct tm tm;
        gmtime_r(&seconds, &tm);
        strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        ck_assert_int_eq(http_date_parse(text, strlen(text)), t);
    }
    static const char *const wrong[] = {"",
                                        "Sunday, 06-Nov-94 08:49:37 GMT",
                                        "Sun, 06 Nov 1994 08:49:37 UTC",
                                        "Sun, 06 Xyz 1994 08:49:37 GMT",
                                        "Sun, 6  Nov 1994 08:49:37 GMT",
                                        "Sun, 32 Nov 1994 08:49:37 GMT",
                                        "Sun, 06 Nov 1994 24:49:37 GMT"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(http_date_parse(wrong[i], strlen(wrong[i])), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("http_reply");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, whole_responses, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(all, what_is_no_response_is_said, 0, sizeof bad / sizeof *bad);
    tcase_add_test(all, sizes_are_bounded);
    tcase_add_test(all, no_bytes_do_harm);
    tcase_add_test(all, dates_are_timegms);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
