#include "sys/utf8.h"

#include <string.h>

#include "sys/heap.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* The length that the first byte promises, and the range of the second: RFC 3629 section 4. */
static size_t promised_length(unsigned char first, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    if (first < 0xe0) return 2;
    if (first == 0xe0) *low = 0xa0;
    if (first == 0xed) *high = 0x9f;
    if (first == 0xf0) *low = 0x90;
    if (first == 0xf4) *high = 0x8f;
    return first < 0xf0 ? 3 : 4;
}

size_t utf8_sequence(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char low, high;
    if (!len) return 0;
    size_t n = promised_length(p[0], &low, &high);
    if (n > len) return 0;
    if (n > 1 && (p[1] < low || p[1] > high)) return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

int utf8_valid(const char *text, size_t len)
{
    while (len) {
        size_t n = utf8_sequence(text, len);
        if (!n) return 0;
        text += n;
        len -= n;
    }
    return 1;
}

size_t utf8_put(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* The repaired form at |out|, or only its length when |out| is NULL. */
static size_t repair_into(char *out, const char *text, size_t len)
{
    size_t size = 0;
    while (len) {
        size_t n = *text ? utf8_sequence(text, len) : 0;
        const char *from = n ? text : replacement;
        size_t put = n ? n : sizeof replacement - 1;
        if (out) memcpy(out + size, from, put);
        size += put;
        text += n ? n : 1;
        len -= n ? n : 1;
    }
    return size;
}

char *utf8_repair(const char *text, size_t len)
{
    size_t size = repair_into(NULL, text, len);
    char *out = heap_alloc(size + 1);
    if (!out) return NULL;
    repair_into(out, text, len);
    out[size] = 0;
    return out;
}
