#include "net/address.h"

#include <errno.h>
#include <string.h>

#include "config/values.h"

enum { GROUPS = 8 };

/* Four decimal numbers up to 255 without leading zeros, as inet_pton(3) wants them. */
static int parse_v4(const char *text, size_t len, uint8_t *out)
{
    for (int part = 0; part < 4; part++) {
        int value = 0, digits = 0;
        for (; len && *text >= '0' && *text <= '9'; text++, len--, digits++) {
            if (digits && !value) return -EINVAL;
            value = value * 10 + (*text - '0');
            if (value > 255) return -EINVAL;
        }
        if (!digits) return -EINVAL;
        out[part] = (uint8_t)value;
        if (part == 3) return len ? -EINVAL : 0;
        if (!len || *text != '.') return -EINVAL;
        text++;
        len--;
    }
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Groups of an IPv6 address on their way. */
struct groups {
    uint16_t values[GROUPS];
    int count, gap; /* |gap|: how many stand before "::"; -1: there is none */
};

/* One group of hexadecimal digits, or four bytes as IPv4, which end the address. The characters read. */
static size_t parse_group(struct groups *g, const char *text, size_t len)
{
    size_t digits = 0;
    int value = 0;
    uint8_t v4[4];
    if (g->count <= GROUPS - 2 && memchr(text, '.', len) && !parse_v4(text, len, v4)) {
        g->values[g->count++] = (uint16_t)(v4[0] << 8 | v4[1]);
        g->values[g->count++] = (uint16_t)(v4[2] << 8 | v4[3]);
        return len;
    }
    for (; digits < len && digits < 5 && hex_digit(text[digits]) >= 0; digits++)
        value = value << 4 | hex_digit(text[digits]);
    if (!digits || digits > 4 || g->count == GROUPS) return 0;
    g->values[g->count++] = (uint16_t)value;
    return digits;
}

static int parse_groups(struct groups *g, const char *text, size_t len)
{
    size_t at = 0;
    if (len >= 2 && text[0] == ':' && text[1] == ':') {
        g->gap = 0;
        at = 2;
    }
    while (at < len) {
        size_t taken = parse_group(g, text + at, len - at);
        if (!taken) return -EINVAL;
        at += taken;
        if (at == len) break;
        if (text[at++] != ':' || at == len) return -EINVAL;
        if (text[at] != ':') continue;
        if (g->gap >= 0) return -EINVAL;
        g->gap = g->count;
        at++;
    }
    return g->gap < 0 ? (g->count == GROUPS ? 0 : -EINVAL) : (g->count < GROUPS ? 0 : -EINVAL);
}

static int parse_v6(const char *text, size_t len, uint8_t *out)
{
    struct groups g = {.gap = -1};
    if (parse_groups(&g, text, len)) return -EINVAL;
    int missing = GROUPS - g.count;
    for (int i = 0; i < g.count; i++) {
        int place = g.gap >= 0 && i >= g.gap ? i + missing : i;
        out[2 * place] = (uint8_t)(g.values[i] >> 8);
        out[2 * place + 1] = (uint8_t)g.values[i];
    }
    return 0;
}

int address_parse(const char *text, size_t len, struct address *address)
{
    memset(address, 0, sizeof *address);
    if (!memchr(text, ':', len)) return parse_v4(text, len, address->bytes);
    address->is_v6 = 1;
    const char *zone = memchr(text, '%', len);
    int64_t number = 0;
    if (zone) {
        if (value_number(zone + 1, len - (size_t)(zone + 1 - text), &number) || number > UINT32_MAX)
            return -EINVAL;
        address->interface = (uint32_t)number;
        len = (size_t)(zone - text);
    }
    return parse_v6(text, len, address->bytes);
}
