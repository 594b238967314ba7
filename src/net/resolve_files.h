/* What /etc/resolv.conf and /etc/hosts say (resolv.conf(5), hosts(5)). Pure; any thread. */
#ifndef OTELPROF_NET_RESOLVE_FILES_H
#define OTELPROF_NET_RESOLVE_FILES_H

#include "net/address.h"
#include "net/dns_message.h"

enum { RESOLVE_SERVERS = 3, RESOLVE_SEARCH = 32, RESOLVE_SEARCH_BYTES = 2048 };

struct resolve_config {
    struct address servers[RESOLVE_SERVERS]; /* 127.0.0.1 where none is named */
    size_t server_count;
    const char *search[RESOLVE_SEARCH]; /* in |search_text| */
    size_t search_count;
    int ndots, timeout_seconds, attempts;
    char search_text[RESOLVE_SEARCH_BYTES];
};

/* Reads the |len| bytes at |text|; what is wrong or unknown in it does not count. */
void resolve_config_parse(const char *text, size_t len, struct resolve_config *config);

/* Addresses of |host| in a hosts file, at most |room| at |found|; how many. Any case of letters. */
size_t hosts_find(const char *text, size_t len, const char *host, struct address *found, size_t room);

#endif
