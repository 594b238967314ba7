#include "net/url.h"

#include <errno.h>
#include <string.h>

#include "config/values.h"
#include "sys/fmt.h"

enum { HTTP_PORT = 80, HTTPS_PORT = 443, PORT_MAX = 65535 };

static const struct {
    const char *prefix;
    enum url_scheme scheme;
    uint16_t port;
} schemes[] = {
    {"http://", URL_HTTP, HTTP_PORT}, {"https://", URL_HTTPS, HTTPS_PORT}, {"unix://", URL_UNIX, 0}};

/* Any case of letters. */
static int begins_with(const char *text, size_t len, const char *prefix)
{
    size_t i = 0;
    for (; prefix[i]; i++)
        if (i == len || (text[i] | 0x20) != (prefix[i] | 0x20)) return 0;
    return 1;
}

static int has_odd_characters(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f) return 1;
    return 0;
}

static int is_host_character(char c, int in_brackets)
{
    if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) return 1;
    return c == '.' || c == '-' || c == '_' || (in_brackets && (c == ':' || c == '%'));
}

static int refuse(const char **reason, const char *text)
{
    *reason = text;
    return -EINVAL;
}

static int take_host(struct url *url, const char *host, size_t len, int in_brackets, const char **reason)
{
    if (!len) return refuse(reason, "has no host");
    if (len >= sizeof url->host) return refuse(reason, "has a host that is too long");
    for (size_t i = 0; i < len; i++)
        if (!is_host_character(host[i], in_brackets))
            return refuse(reason, "has a host with a character that no host has");
    memcpy(url->host, host, len);
    url->host[len] = 0;
    return 0;
}

/* host[:port] or [address][:port] */
static int parse_authority(struct url *url, const char *text, size_t len, const char **reason)
{
    int in_brackets = len && *text == '[';
    if (memchr(text, '@', len))
        return refuse(reason, "has a user name: give it as an Authorization header instead");
    const char *end = memchr(text, in_brackets ? ']' : ':', len), *port = NULL;
    if (in_brackets && !end) return refuse(reason, "has a '[' without ']'");
    if (!in_brackets && end && memchr(end + 1, ':', len - (size_t)(end + 1 - text)))
        return refuse(reason, "has an IPv6 address without brackets: http://[::1]:4318");
    size_t host_len = end ? (size_t)(end - text) : len;
    if (end) port = in_brackets ? end + 1 : end;
    if (take_host(url, text + in_brackets, host_len - (size_t)in_brackets, in_brackets, reason))
        return -EINVAL;
    if (!port || port == text + len) return 0;
    int64_t number = 0;
    if (*port != ':' || value_number(port + 1, len - (size_t)(port + 1 - text), &number) || !number ||
        number > PORT_MAX)
        return refuse(reason, "has a port that is not a number from 1 to 65535");
    url->port = (uint16_t)number;
    return 0;
}

static int parse_socket(struct url *url, const char *text, size_t len, const char **reason)
{
    if (!len || *text != '/') return refuse(reason, "needs the absolute path of a socket: unix:///path");
    if (len >= sizeof url->host) return refuse(reason, "has a path that is too long");
    memcpy(url->host, text, len);
    url->host[len] = 0;
    return 0;
}

int url_parse(const char *text, struct url *url, const char **reason)
{
    size_t len = strlen(text), i = 0, count = sizeof schemes / sizeof *schemes;
    text = value_trim(text, &len);
    memset(url, 0, sizeof *url);
    while (i < count && !begins_with(text, len, schemes[i].prefix)) i++;
    if (i == count) return refuse(reason, "does not begin with http://, https:// or unix://");
    if (has_odd_characters(text, len)) return refuse(reason, "has a blank or a control character in it");
    url->scheme = schemes[i].scheme;
    url->port = schemes[i].port;
    text += strlen(schemes[i].prefix);
    len -= strlen(schemes[i].prefix);
    if (url->scheme == URL_UNIX) return parse_socket(url, text, len, reason);
    const char *fragment = memchr(text, '#', len);
    if (fragment) len = (size_t)(fragment - text);
    size_t authority = 0;
    while (authority < len && text[authority] != '/' && text[authority] != '?') authority++;
    if (parse_authority(url, text, authority, reason)) return -EINVAL;
    int bare_query = authority < len && text[authority] == '?';
    if (len - authority + (size_t)bare_query >= sizeof url->path)
        return refuse(reason, "has a path that is too long");
    if (bare_query) url->path[0] = '/';
    memcpy(url->path + bare_query, text + authority, len - authority);
    return 0;
}

size_t url_authority(const struct url *url, char *out)
{
    static const uint16_t own_ports[] = {[URL_HTTP] = HTTP_PORT, [URL_HTTPS] = HTTPS_PORT};
    size_t size = URL_HOST_MAX + 16;
    if (url->scheme == URL_UNIX) return fmt_text(out, size, "localhost");
    int is_v6 = strchr(url->host, ':') != NULL;
    const char *open = is_v6 ? "[" : "", *close = is_v6 ? "]" : "";
    if (url->port == own_ports[url->scheme]) return fmt_text(out, size, "%s%s%s", open, url->host, close);
    return fmt_text(out, size, "%s%s%s:%u", open, url->host, close, (unsigned)url->port);
}
