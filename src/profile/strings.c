/* The string table: bytes in one pool, each text once, always UTF-8. */
#include <errno.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/tables.h"
#include "sys/hash.h"
#include "sys/heap.h"

struct text {
    const char *bytes;
    size_t len;
};

static int string_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_strings *t = table;
    const struct text *text = key;
    const struct profile_string *s = &t->items[id];
    return s->length == text->len && memcmp(t->bytes + s->at, text->bytes, text->len) == 0;
}

/* Bytes of the UTF-8 sequence at |p|, 0 if it is not one (Unicode 15, table 3-7: no overlong form, no
 * surrogate). */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80) return 1;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < len) return 0;
    unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return len;
}

/* Bytes at the start of |text| that are UTF-8. */
static size_t utf8_prefix(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    while (at < len) {
        size_t n = utf8_sequence(p + at, len - at);
        if (!n) break;
        at += n;
    }
    return at;
}

/* Bytes of |text| up to PROFILE_MAX_STRING that do not end inside a character. */
static size_t cut_length(const char *text, size_t len)
{
    if (len <= PROFILE_MAX_STRING) return len;
    len = PROFILE_MAX_STRING;
    for (int back = 0; back < 3 && ((unsigned char)text[len] & 0xc0) == 0x80; back++) len--;
    return len;
}

static uint32_t add_string(struct profile *p, const struct text *text, uint32_t hash)
{
    struct profile_strings *t = &p->strings;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        profile_grow(p, &t->bytes, &t->bytes_cap, t->bytes_used, text->len + 1, 1) ||
        profile_index(p, &t->index, hash, t->count))
        return profile_drop(p);
    memcpy(t->bytes + t->bytes_used, text->bytes, text->len);
    t->bytes[t->bytes_used + text->len] = 0;
    t->items[t->count] = (struct profile_string){t->bytes_used, (uint32_t)text->len};
    t->bytes_used += (uint32_t)text->len + 1;
    return t->count++;
}

/* The string of a text that is not UTF-8. */
static uint32_t repaired_string(struct profile *p, const struct text *text)
{
    char *copy = heap_strndup(text->bytes, text->len);
    if (!copy) return profile_drop(p);
    for (size_t at = 0; (at += utf8_prefix(copy + at, text->len - at)) < text->len; at++) copy[at] = '?';
    uint32_t id = profile_string(p, copy, text->len);
    heap_free(copy);
    return id;
}

uint32_t profile_string(struct profile *p, const char *bytes, size_t len)
{
    struct text text = {bytes, cut_length(bytes, len)};
    if (!text.len || p->sealed) return 0;
    uint32_t hash = (uint32_t)hash_bytes(text.bytes, text.len);
    uint32_t id = index_find(&p->strings.index, hash, string_equal, &p->strings, &text);
    if (id) return id;
    /* Only a new text is looked at: what is in the table is UTF-8. */
    if (utf8_prefix(text.bytes, text.len) < text.len) return repaired_string(p, &text);
    return add_string(p, &text, hash);
}

const char *profile_string_text(const struct profile *p, uint32_t id)
{
    return id < p->strings.count ? p->strings.bytes + p->strings.items[id].at : "";
}
