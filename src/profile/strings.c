/* The string table: bytes in one pool, each text once, always UTF-8. */
#include <errno.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/tables.h"
#include "sys/hash.h"
#include "sys/heap.h"
#include "sys/utf8.h"

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
    char *copy = utf8_repair(text->bytes, text->len);
    if (!copy) return profile_drop(p);
    uint32_t id = profile_string(p, copy, strlen(copy));
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
    if (!utf8_valid(text.bytes, text.len)) return repaired_string(p, &text);
    return add_string(p, &text, hash);
}

const char *profile_string_text(const struct profile *p, uint32_t id)
{
    return id < p->strings.count ? p->strings.bytes + p->strings.items[id].at : "";
}
