#include "net/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "sys/clock.h"
#include "sys/rawcall.h"

socklen_t socket_name(const struct address *address, uint16_t port, struct sockaddr_storage *name)
{
    uint16_t network_port = (uint16_t)(port << 8 | port >> 8);
    memset(name, 0, sizeof *name);
    if (!address->is_v6) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)name;
        v4->sin_family = AF_INET;
        v4->sin_port = network_port;
        memcpy(&v4->sin_addr, address->bytes, sizeof v4->sin_addr);
        return sizeof *v4;
    }
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)name;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = network_port;
    v6->sin6_scope_id = address->interface;
    memcpy(&v6->sin6_addr, address->bytes, sizeof v6->sin6_addr);
    return sizeof *v6;
}

int socket_open(int family, int type)
{
    return (int)sys_call3(SYS_socket, family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int socket_wait(int fd, short events, int64_t deadline)
{
    struct pollfd poll = {.fd = fd, .events = events};
    for (;;) {
        int64_t left = deadline - clock_monotonic();
        if (left < 0) left = 0;
        struct timespec wait = {left / NANOS_PER_SECOND, left % NANOS_PER_SECOND};
        int rc = (int)sys_call5(SYS_ppoll, &poll, 1, deadline == INT64_MAX ? NULL : &wait, NULL, 0);
        if (rc > 0) return 0;
        if (rc == 0) return -ETIMEDOUT;
        if (rc != -EINTR) return rc;
    }
}

int socket_connect(int fd, const void *name, socklen_t len, int64_t deadline)
{
    int rc = (int)sys_call3(SYS_connect, fd, name, len);
    if (rc != -EINPROGRESS && rc != -EINTR) return rc;
    rc = socket_wait(fd, POLLOUT, deadline);
    int error = 0;
    socklen_t size = sizeof error;
    if (!rc) rc = (int)sys_call5(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return rc ? rc : -error;
}
