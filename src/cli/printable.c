// SPDX-License-Identifier: Apache-2.0
#include "printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The longest escape is \u{NNNN} (8 bytes) for 3 bytes; \xNN is 4 for 1.
#define LONGEST_ESCAPE 4

// The length of the UTF-8 character at |at| (at most |left| bytes) and its code point, or 0 if it is not
// valid: too short, overlong, a surrogate, or above U+10FFFF (Unicode 15, table 3-7).
static size_t decode(const unsigned char *at, size_t left, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    if (length == 0 || length > left) return 0;
    if (length == 1) {
        *code = *at;
        return 1;
    }
    *code = *at & (0x7f >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || surrogate || *code > 0x10ffff ? 0 : length;
}

static bool turns_text(uint32_t code)
{
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static char *escape(const char *bytes, size_t size, bool controls, size_t *out_size, size_t *columns)
{
    const unsigned char *in = (const unsigned char *)bytes;
    char *out = malloc(size * LONGEST_ESCAPE + 1);
    if (!out) {
        fputs("otelprof: out of memory\n", stderr);
        exit(1);
    }
    size_t used = 0, width = 0;
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        size_t length = decode(in + i, size - i, &code), wrote;
        if (length == 0 || (controls && length == 1 && (code < 0x20 || code == 0x7f)))
            wrote = (size_t)sprintf(out + used, "\\x%02x", in[i]);
        else if (controls && ((code >= 0x80 && code <= 0x9f) || turns_text(code)))
            wrote = (size_t)sprintf(out + used, "\\u{%04x}", code);
        else {
            memcpy(out + used, in + i, length);
            used += length;
            wrote = 0;
            width++;
        }
        used += wrote;
        width += wrote;
        i += length ? length : 1;
    }
    out[used] = 0;
    if (out_size) *out_size = used;
    if (columns) *columns = width;
    return out;
}

char *printable_text(const char *bytes, size_t size, size_t *columns)
{
    return escape(bytes, size, true, NULL, columns);
}

char *printable_utf8(const char *bytes, size_t size, size_t *out_size)
{
    return escape(bytes, size, false, out_size, NULL);
}
