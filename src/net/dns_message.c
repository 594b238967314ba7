#include "net/dns_message.h"

#include <errno.h>
#include <string.h>

enum {
    HEADER = 12,
    LABEL_MAX = 63,
    POINTER = 0xc0, /* the two high bits of a length: a name that goes on elsewhere */
    CLASS_IN = 1,
    RECORD = 10, /* type, class, time to live, length */
    FLAG_ANSWER = 0x80,
    FLAG_RECURSE = 0x01,
    RCODE = 0x0f,
    NO_NAME = 3
};

static void put_u16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static unsigned get_u16(const uint8_t *at)
{
    return (unsigned)(at[0] << 8 | at[1]);
}

/* "a.b" as labels; the place behind, or NULL if it is no name. A dot at the end does not count. */
static uint8_t *put_name(uint8_t *at, const char *name)
{
    size_t len = strlen(name);
    if (len && name[len - 1] == '.') len--;
    if (!len || len > DNS_NAME_MAX - 2) return NULL;
    while (len) {
        const char *dot = memchr(name, '.', len);
        size_t label = dot ? (size_t)(dot - name) : len;
        if (!label || label > LABEL_MAX) return NULL;
        *at++ = (uint8_t)label;
        memcpy(at, name, label);
        at += label;
        name += label;
        len -= label;
        if (!len) break;
        name++;
        if (!--len) return NULL;
    }
    *at++ = 0;
    return at;
}

int dns_question(uint16_t id, const char *name, enum dns_type type, uint8_t *out)
{
    memset(out, 0, HEADER);
    put_u16(out, id);
    out[2] = FLAG_RECURSE;
    put_u16(out + 4, 1);
    uint8_t *at = put_name(out + HEADER, name);
    if (!at) return -EINVAL;
    put_u16(at, (unsigned)type);
    put_u16(at + 2, CLASS_IN);
    return (int)(at + 4 - out);
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* Servers give the question back, now and then in other letters. */
static int answers(const uint8_t *message, size_t len, const uint8_t *question, size_t question_len)
{
    if (len < question_len || get_u16(message) != get_u16(question) || !(message[2] & FLAG_ANSWER) ||
        get_u16(message + 4) != 1)
        return 0;
    for (size_t i = HEADER; i < question_len; i++)
        if (lower(message[i]) != lower(question[i])) return 0;
    return 1;
}

/* The place behind the name at |at|, |len| if it does not end. */
static size_t skip_name(const uint8_t *message, size_t len, size_t at)
{
    while (at < len) {
        unsigned label = message[at];
        if ((label & POINTER) == POINTER) return at + 2;
        at += 1 + label;
        if (!label) return at;
    }
    return len;
}

enum dns_verdict dns_answer(const uint8_t *message, size_t len, const uint8_t *question, size_t question_len,
                            struct address *found, size_t room, size_t *count)
{
    if (!answers(message, len, question, question_len)) return DNS_NOT_OURS;
    unsigned rcode = message[3] & RCODE, records = get_u16(message + 6);
    unsigned type = get_u16(question + question_len - 4);
    size_t at = question_len, before = *count, size = type == DNS_A ? 4 : 16;
    if (rcode == NO_NAME) return DNS_NO_NAME;
    if (rcode) return DNS_FAILED;
    while (records-- && *count < room) {
        at = skip_name(message, len, at);
        if (at + RECORD > len) break; /* cut: what came is good */
        const uint8_t *record = message + at;
        size_t data = get_u16(record + 8);
        at += RECORD + data;
        if (at > len) break;
        if (get_u16(record) != type || get_u16(record + 2) != CLASS_IN || data != size) continue;
        struct address *address = &found[(*count)++];
        memset(address, 0, sizeof *address);
        address->is_v6 = type == DNS_AAAA;
        memcpy(address->bytes, record + RECORD, size);
    }
    return *count > before ? DNS_FOUND : DNS_NO_ADDRESS;
}
