/* Endpoints as users write them. Cases from RFC 3986 and the OTLP exporter specification. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/url.h"

static const struct {
    const char *text;
    enum url_scheme scheme;
    const char *host;
    unsigned port;
    const char *path, *authority;
} good[] = {
    {"http://localhost:4318", URL_HTTP, "localhost", 4318, "", "localhost:4318"},
    {"  https://a.example/x  ", URL_HTTPS, "a.example", 443, "/x", "a.example"},
    {"HTTPS://a.example:80", URL_HTTPS, "a.example", 80, "", "a.example:80"},
    {"http://a:80/", URL_HTTP, "a", 80, "/", "a"},
    {"http://[::1]:4317/v1?x=1#f", URL_HTTP, "::1", 4317, "/v1?x=1", "[::1]:4317"},
    {"http://[fe80::1%eth0]", URL_HTTP, "fe80::1%eth0", 80, "", "[fe80::1%eth0]"},
    {"http://127.0.0.1?q", URL_HTTP, "127.0.0.1", 80, "/?q", "127.0.0.1"},
    {"http://under_score-dash.1/a//b/../c", URL_HTTP, "under_score-dash.1", 80, "/a//b/../c",
     "under_score-dash.1"},
    {"unix:///run/otel.sock", URL_UNIX, "/run/otel.sock", 0, "", "localhost"},
};

START_TEST(what_users_write_is_taken_apart)
{
    struct url url;
    const char *reason = NULL;
    char authority[URL_HOST_MAX + 16];
    ck_assert_msg(!url_parse(good[_i].text, &url, &reason), "%s %s", good[_i].text, reason);
    ck_assert_int_eq(url.scheme, good[_i].scheme);
    ck_assert_str_eq(url.host, good[_i].host);
    ck_assert_uint_eq(url.port, good[_i].port);
    ck_assert_str_eq(url.path, good[_i].path);
    ck_assert_uint_eq(url_authority(&url, authority), strlen(good[_i].authority));
    ck_assert_str_eq(authority, good[_i].authority);
}
END_TEST

static const struct {
    const char *text, *reason;
} bad[] = {
    {"", "does not begin with"},
    {"localhost:4317", "does not begin with"},
    {"ftp://a", "does not begin with"},
    {"http:/a", "does not begin with"},
    {"http://", "has no host"},
    {"http://:80", "has no host"},
    {"http:///x", "has no host"},
    {"http://[]", "has no host"},
    {"http://[::1", "has a '['"},
    {"http://::1", "has an IPv6"},
    {"http://a:", "has a port"},
    {"http://a:0", "has a port"},
    {"http://a:65536", "has a port"},
    {"http://a:8o", "has a port"},
    {"http://[::1]x", "has a port"},
    {"http://u:p@a", "has a user name"},
    {"http://a b", "has a blank"},
    {"http://a/x\r\nHost: b", "has a blank"},
    {"http://a\xc3\xa9", "has a host"},
    {"http://a,http://b", "has a host"},
    {"unix://run/x", "needs the absolute"},
    {"unix://", "needs the absolute"},
};

START_TEST(what_is_wrong_is_said)
{
    struct url url;
    const char *reason = "";
    ck_assert_msg(url_parse(bad[_i].text, &url, &reason) == -EINVAL, "%s", bad[_i].text);
    ck_assert_msg(!strncmp(reason, bad[_i].reason, strlen(bad[_i].reason)), "%s: %s", bad[_i].text, reason);
}
END_TEST

START_TEST(lengths_are_bounded)
{
    static char text[8192];
    struct url url;
    const char *reason;
    for (size_t len = 1; len < 4000; len += len < 2040 && len > 300 ? 17 : 1) {
        snprintf(text, sizeof text, "http://%0*d", (int)len, 0);
        ck_assert_int_eq(url_parse(text, &url, &reason), len < URL_HOST_MAX ? 0 : -EINVAL);
        snprintf(text, sizeof text, "http://a/%0*d", (int)len, 0);
        ck_assert_int_eq(url_parse(text, &url, &reason), len + 1 < URL_PATH_MAX ? 0 : -EINVAL);
        snprintf(text, sizeof text, "http://a?%0*d", (int)len, 0);
        ck_assert_int_eq(url_parse(text, &url, &reason), len + 2 < URL_PATH_MAX ? 0 : -EINVAL);
        snprintf(text, sizeof text, "unix:///%0*d", (int)len, 0);
        ck_assert_int_eq(url_parse(text, &url, &reason), len + 1 < URL_HOST_MAX ? 0 : -EINVAL);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("url");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, what_users_write_is_taken_apart, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(all, what_is_wrong_is_said, 0, sizeof bad / sizeof *bad);
    tcase_add_test(all, lengths_are_bounded);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
