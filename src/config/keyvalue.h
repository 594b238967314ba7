/*
 * Lists of the form key=value,key=value with percent-encoding, as OTEL_RESOURCE_ATTRIBUTES has them
 * (OpenTelemetry, resource/sdk.md: a subset of W3C Baggage without metadata). Pure; any thread.
 */
#ifndef OTELPROF_CONFIG_KEYVALUE_H
#define OTELPROF_CONFIG_KEYVALUE_H

#include <stddef.h>

struct keyvalue {
    char *key;   /* decoded, not empty, valid UTF-8 */
    char *value; /* decoded, valid UTF-8 */
};

struct keyvalue_error {
    const char *entry; /* in the parsed text */
    size_t len;
    const char *reason; /* static, fit to follow the entry: "has no '='" */
};

/*
 * Parses |text| to |*list| of |*count| entries, in order, duplicates included. Blanks around entries, keys
 * and values do not count, empty entries are skipped. Everything or nothing: an entry without exactly one '='
 * (inside keys and values it MUST be %3D), with an empty key, a broken percent-encoding, an encoded NUL, or
 * bytes that are not UTF-8 in the end makes the whole text invalid: -EINVAL, and |*error| names it. -ENOMEM
 * without memory. On errors there is no list. The caller frees with keyvalue_free.
 */
int keyvalue_parse(const char *text, struct keyvalue **list, size_t *count, struct keyvalue_error *error);

void keyvalue_free(struct keyvalue *list, size_t count);

#endif
