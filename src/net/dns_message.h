/*
 * DNS messages (RFC 1035, RFC 3596): a question for the addresses of a name, and the addresses in an answer.
 * Foreign bytes are bounded by their message. Pure; any thread.
 */
#ifndef OTELPROF_NET_DNS_MESSAGE_H
#define OTELPROF_NET_DNS_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "net/address.h"

enum dns_type { DNS_A = 1, DNS_AAAA = 28 };

enum { DNS_NAME_MAX = 255, DNS_MESSAGE_MAX = 1232 };

/* Writes a question into |out| (DNS_MESSAGE_MAX bytes): its length, or -EINVAL if |name| is none of DNS. */
int dns_question(uint16_t id, const char *name, enum dns_type type, uint8_t *out);

enum dns_verdict {
    DNS_NOT_OURS, /* another question's answer, or damaged: wait on */
    DNS_FOUND,
    DNS_NO_ADDRESS, /* the name is there, without an address of this type */
    DNS_NO_NAME,
    DNS_FAILED /* the server could not or would not: ask another */
};

/* Reads |len| bytes at |message|, the answer to |question| (|question_len| bytes). Adds at most |room|
 * addresses at |found| and counts them in |*count|. */
enum dns_verdict dns_answer(const uint8_t *message, size_t len, const uint8_t *question, size_t question_len,
                            struct address *found, size_t room, size_t *count);

#endif
