/*
 * Names to addresses, as libc's getaddrinfo(3) with "files dns" in nsswitch.conf does it, without libc: the
 * background thread has none of its state. Hosts file, then the servers of resolv.conf by UDP, with its
 * search list. Background thread.
 */
#ifndef OTELPROF_NET_RESOLVE_H
#define OTELPROF_NET_RESOLVE_H

#include "net/address.h"

enum { RESOLVE_MAX = 16 };

/* Where a resolver looks; the port is for tests. */
struct resolver {
    const char *hosts_path, *conf_path;
    uint16_t port;
};

extern const struct resolver resolver_of_system;

/*
 * Addresses of |host| (a name, or an address itself) at |found| (RESOLVE_MAX of them), IPv4 first; how many,
 * or -ENOENT: nobody knows the name, -EAGAIN: no server gave an answer, -ETIMEDOUT: the deadline passed
 * before.
 */
int resolve(const struct resolver *resolver, const char *host, int64_t deadline, struct address *found);

#endif
