#include "config/keyvalue.h"

#include <errno.h>
#include <string.h>

#include "config/values.h"
#include "sys/heap.h"
#include "sys/utf8.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* The decoded copy of |text|; NULL with |*reason| set when it is not decodable, without when there is no
 * memory. */
static char *decode(const char *text, size_t len, const char **reason)
{
    text = value_trim(text, &len);
    char *out = heap_strndup(text, len);
    if (!out) return NULL;
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '%') {
            int high = i + 2 < len ? hex_digit(text[i + 1]) : -1;
            int low = i + 2 < len ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0 || !(high | low)) *reason = "has a broken percent-encoding";
            c = (char)((unsigned)high << 4 | (unsigned)low);
            i += 2;
        }
        out[used++] = c;
    }
    out[used] = 0;
    if (!*reason && !utf8_valid(out, used)) *reason = "is not UTF-8";
    if (!*reason) return out;
    heap_free(out);
    return NULL;
}

/* 0, -EINVAL with |*reason|, or -ENOMEM. */
static int parse_entry(const char *entry, size_t len, struct keyvalue *out, const char **reason)
{
    *out = (struct keyvalue){NULL, NULL};
    *reason = NULL;
    const char *equals = memchr(entry, '=', len);
    if (!equals) {
        *reason = "has no '='";
        return -EINVAL;
    }
    size_t key_len = (size_t)(equals - entry), value_len = len - key_len - 1;
    if (memchr(equals + 1, '=', value_len)) *reason = "has more than one '='";
    if (!*reason) out->key = decode(entry, key_len, reason);
    if (out->key && !*out->key) *reason = "has an empty key";
    if (!*reason) out->value = decode(equals + 1, value_len, reason);
    if (out->key && out->value) return 0;
    heap_free(out->key);
    heap_free(out->value);
    return *reason ? -EINVAL : -ENOMEM;
}

int keyvalue_parse(const char *text, struct keyvalue **list, size_t *count, struct keyvalue_error *error)
{
    size_t cap = 0, len;
    const char *entry;
    int rc = 0;
    *list = NULL;
    *count = 0;
    memset(error, 0, sizeof *error);
    while (!rc && (entry = value_next_item(&text, &len))) {
        struct keyvalue one;
        rc = parse_entry(entry, len, &one, &error->reason);
        if (rc == -EINVAL) {
            error->entry = entry;
            error->len = len;
        }
        if (rc) break;
        rc = heap_grow(list, &cap, *count + 1, sizeof **list);
        if (!rc)
            (*list)[(*count)++] = one;
        else {
            heap_free(one.key);
            heap_free(one.value);
        }
    }
    if (!rc) return 0;
    keyvalue_free(*list, *count);
    *list = NULL;
    *count = 0;
    return rc;
}

void keyvalue_free(struct keyvalue *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        heap_free(list[i].key);
        heap_free(list[i].value);
    }
    heap_free(list);
}
