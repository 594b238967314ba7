#include "sys/fmt.h"

#include <stdint.h>
#include <string.h>

struct out {
    char *at;
    char *end; /* where the terminator goes at the latest */
};

static void put_bytes(struct out *out, const char *text, size_t len)
{
    size_t room = (size_t)(out->end - out->at);
    if (len > room) len = room;
    memcpy(out->at, text, len);
    out->at += len;
}

static void put_number(struct out *out, uint64_t value, unsigned base, int negative, int width, char pad)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    if (negative && pad == '0') put_bytes(out, "-", 1);
    if (negative && pad != '0') digits[n++] = '-';
    for (int i = n + (negative && pad == '0'); i < width; i++) put_bytes(out, &pad, 1);
    while (n) put_bytes(out, &digits[--n], 1);
}

struct spec {
    char pad;
    int width;
    int precision; /* -1: none */
    int wide;      /* 64-bit argument */
};

static const char *parse_spec(const char *f, struct spec *spec, va_list *args)
{
    *spec = (struct spec){' ', 0, -1, 0};
    if (*f == '0') {
        spec->pad = '0';
        f++;
    }
    while (*f >= '0' && *f <= '9') spec->width = spec->width * 10 + (*f++ - '0');
    if (f[0] == '.' && f[1] == '*') {
        spec->precision = va_arg(*args, int);
        f += 2;
    }
    while (*f == 'l' || *f == 'z') {
        spec->wide = 1;
        f++;
    }
    return f;
}

static void put_string(struct out *out, const char *s, int precision)
{
    if (!s) s = "(null)";
    size_t len = precision >= 0 ? strnlen(s, (size_t)precision) : strlen(s);
    put_bytes(out, s, len);
}

static void put_argument(struct out *out, char kind, const struct spec *spec, va_list *args)
{
    if (kind == 's') {
        put_string(out, va_arg(*args, const char *), spec->precision);
    } else if (kind == 'c') {
        char c = (char)va_arg(*args, int);
        put_bytes(out, &c, 1);
    } else if (kind == 'd') {
        int64_t v = spec->wide ? va_arg(*args, long) : va_arg(*args, int);
        put_number(out, v < 0 ? -(uint64_t)v : (uint64_t)v, 10, v < 0, spec->width, spec->pad);
    } else if (kind == 'u' || kind == 'x') {
        uint64_t v = spec->wide ? va_arg(*args, unsigned long) : va_arg(*args, unsigned);
        put_number(out, v, kind == 'x' ? 16 : 10, 0, spec->width, spec->pad);
    } else if (kind == 'p') {
        put_bytes(out, "0x", 2);
        put_number(out, (uintptr_t)va_arg(*args, void *), 16, 0, 0, ' ');
    } else {
        put_bytes(out, &kind, 1);
    }
}

size_t fmt_text_v(char *buffer, size_t size, const char *f, va_list args)
{
    if (!size) return 0;
    struct out out = {buffer, buffer + size - 1};
    va_list copy;
    va_copy(copy, args);
    while (*f) {
        const char *plain = f;
        while (*f && *f != '%') f++;
        put_bytes(&out, plain, (size_t)(f - plain));
        if (!*f) break;
        struct spec spec;
        f = parse_spec(f + 1, &spec, &copy);
        if (!*f) break;
        put_argument(&out, *f++, &spec, &copy);
    }
    va_end(copy);
    *out.at = 0;
    return (size_t)(out.at - buffer);
}

size_t fmt_text(char *buffer, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t n = fmt_text_v(buffer, size, format, args);
    va_end(args);
    return n;
}
