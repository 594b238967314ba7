#include "net/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/un.h>

#include "net/resolve.h"
#include "net/socket.h"
#include "sys/clock.h"
#include "sys/rawcall.h"

/* Among several addresses one that does not answer must not take all the time there is. */
static int64_t fair_deadline(int64_t deadline, int left)
{
    if (left <= 1 || deadline == INT64_MAX) return deadline;
    int64_t now = clock_monotonic();
    return now + (deadline - now) / left;
}

static int connect_to(struct stream *stream, const void *name, socklen_t len, int64_t deadline)
{
    int family = ((const struct sockaddr *)name)->sa_family;
    stream->fd = socket_open(family, SOCK_STREAM);
    if (stream->fd < 0) return stream->fd;
    int rc = socket_connect(stream->fd, name, len, deadline);
    if (rc) stream_close(stream);
    return rc;
}

static int open_unix(struct stream *stream, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof name.sun_path) return -ENAMETOOLONG;
    memcpy(name.sun_path, path, len + 1);
    return connect_to(stream, &name, sizeof name, stream->deadline);
}

int stream_open(struct stream *stream, const struct url *url, int64_t deadline)
{
    struct address found[RESOLVE_MAX];
    *stream = (struct stream){.fd = -1, .deadline = deadline};
    if (url->scheme == URL_UNIX) return open_unix(stream, url->host);
    int count = resolve(&resolver_of_system, url->host, deadline, found), rc = count;
    for (int i = 0; i < count; i++) {
        struct sockaddr_storage name;
        socklen_t len = socket_name(&found[i], url->port, &name);
        rc = connect_to(stream, &name, len, fair_deadline(deadline, count - i));
        if (!rc) return 0;
    }
    return rc;
}

int64_t stream_read(struct stream *stream, void *buffer, size_t size)
{
    for (;;) {
        int64_t n = sys_call6(SYS_recvfrom, stream->fd, (long)buffer, (long)size, 0, 0, 0);
        if (n != -EAGAIN && n != -EINTR) return n;
        int rc = socket_wait(stream->fd, POLLIN, stream->deadline);
        if (rc) return rc;
    }
}

int stream_write(struct stream *stream, const void *data, size_t size)
{
    const char *at = data;
    while (size) {
        int64_t n = sys_call6(SYS_sendto, stream->fd, (long)at, (long)size, MSG_NOSIGNAL, 0, 0);
        if (n == -EAGAIN || n == -EINTR) {
            n = socket_wait(stream->fd, POLLOUT, stream->deadline);
            if (!n) continue;
        }
        if (n < 0) return (int)n;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

void stream_close(struct stream *stream)
{
    if (stream->fd >= 0) sys_close(stream->fd);
    stream->fd = -1;
}
