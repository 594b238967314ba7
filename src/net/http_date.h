/* Dates of HTTP: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7; the two obsolete forms are not read).
 * Pure. */
#ifndef OTELPROF_NET_HTTP_DATE_H
#define OTELPROF_NET_HTTP_DATE_H

#include <stddef.h>
#include <stdint.h>

/* Unix seconds, or -1 for what is no such date. */
int64_t http_date_parse(const char *text, size_t len);

#endif
