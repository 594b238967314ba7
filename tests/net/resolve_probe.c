/* resolve_probe HOSTS CONF PORT MILLIS NAME...: each name's addresses on a line, or the error's name; how
 * long it took. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/resolve.h"
#include "sys/clock.h"

int main(int argc, char **argv)
{
    struct resolver resolver = {argv[1], argv[2], (uint16_t)atoi(argv[3])};
    for (int i = 5; i < argc; i++) {
        struct address found[RESOLVE_MAX];
        int64_t start = clock_monotonic();
        int rc = resolve(&resolver, argv[i], start + atoi(argv[4]) * 1000000LL, found);
        int64_t took = clock_monotonic() - start;
        printf("%s", argv[i]);
        for (int k = 0; k < rc; k++) {
            char text[INET6_ADDRSTRLEN];
            printf(" %s", inet_ntop(found[k].is_v6 ? AF_INET6 : AF_INET, found[k].bytes, text, sizeof text));
        }
        if (rc < 0) printf(" %s", strerrorname_np(-rc));
        printf("\n%lld\n", (long long)(took / 1000000));
    }
    return 0;
}
