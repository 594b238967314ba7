/* One HTTP/1.1 request and its response over a stream. Background thread. */
#ifndef OTELPROF_NET_HTTP_H
#define OTELPROF_NET_HTTP_H

#include "net/http_reply.h"
#include "net/stream.h"

struct http_header {
    const char *name, *value; /* without line ends: whoever takes them from users has seen to that */
};

struct http_request {
    const char *path;      /* begins with '/' */
    const char *authority; /* the Host header's value */
    const struct http_header *headers;
    size_t header_count;
    const void *body;
    size_t body_size;
};

/*
 * Sends a POST and reads the response into |reply|. 0; -EPROTO with |*reason| (static) for what is no
 * response; or the stream's negative errno, |*reason| NULL. A server that answers before it has read
 * everything is heard: its answer counts.
 */
int http_post(struct stream *stream, const struct http_request *request, struct http_reply *reply,
              const char **reason);

#endif
