/*
 * Endpoints: http://host[:port][/path], https://..., unix:///path/of/a/socket (RFC 3986; the OTLP exporter
 * specification). Pure; any thread.
 */
#ifndef OTELPROF_NET_URL_H
#define OTELPROF_NET_URL_H

#include <stddef.h>
#include <stdint.h>

enum url_scheme { URL_HTTP, URL_HTTPS, URL_UNIX };

enum { URL_HOST_MAX = 256, URL_PATH_MAX = 2048 };

struct url {
    enum url_scheme scheme;
    char
        host[URL_HOST_MAX]; /* a name or an address, IPv6 without its brackets; URL_UNIX: the socket's path */
    uint16_t port;          /* 80 or 443 when none is given; 0 for URL_UNIX */
    char path[URL_PATH_MAX]; /* with its query, begins with '/'; "" when none is given */
};

/*
 * Takes |text| apart, blanks around it not counted. 0, or -EINVAL: |*reason| is static and follows the text
 * in a message ("has no host"). A user name is refused, for it would show in messages: it belongs into a
 * header.
 */
int url_parse(const char *text, struct url *url, const char **reason);

/* The Host header's value: host, and port unless it is the scheme's own, in |out| (URL_HOST_MAX + 16 bytes).
 * Returns its length. */
size_t url_authority(const struct url *url, char *out);

#endif
