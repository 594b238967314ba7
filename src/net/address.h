/* Addresses of IPv4 and IPv6 without a port, and their texts. Pure; any thread. */
#ifndef OTELPROF_NET_ADDRESS_H
#define OTELPROF_NET_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

struct address {
    int is_v6;
    uint8_t bytes[16];  /* in the order of the network; four of them for IPv4 */
    uint32_t interface; /* of a link-local IPv6 address; 0: none is named */
};

/* 0, or -EINVAL: |text| (|len| bytes) is no address. 127.0.0.1; 2001:db8::1; ::ffff:10.0.0.1; fe80::1%3, the
 * interface by its number. */
int address_parse(const char *text, size_t len, struct address *address);

#endif
