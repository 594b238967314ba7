/*
 * Reading an HTTP/1.1 response (RFC 9112) as its bytes come in. All sizes are bounded, whatever a server
 * sends. Pure; any thread.
 */
#ifndef OTELPROF_NET_HTTP_REPLY_H
#define OTELPROF_NET_HTTP_REPLY_H

#include <stddef.h>
#include <stdint.h>

enum {
    HTTP_HEAD_MAX = 32 * 1024, /* bytes of all lines of the head, interim responses included */
    HTTP_LINE_MAX = 8 * 1024,  /* of one */
    HTTP_BODY_KEPT = 64 * 1024 /* more is read and forgotten */
};

enum http_state {
    HTTP_STATUS,
    HTTP_HEADERS,
    HTTP_BODY,
    HTTP_CHUNK_SIZE,
    HTTP_CHUNK,
    HTTP_CHUNK_END,
    HTTP_TRAILERS,
    HTTP_DONE
};

struct http_reply {
    int status;                /* 100 to 599 */
    int64_t retry_after;       /* Retry-After in seconds, -1: none */
    int64_t retry_date;        /* Retry-After as Unix seconds, -1: none */
    int64_t date;              /* Date, likewise */
    char content_type[128];    /* cut if longer */
    int closes;                /* the connection cannot be used again */
    char body[HTTP_BODY_KEPT]; /* the first bytes of it */
    size_t body_size;          /* how many */

    /* The reader's own. */
    enum http_state state;
    int is_interim, is_chunked, has_length;
    uint64_t left; /* bytes of the body, or of the chunk */
    size_t head_bytes, line_len;
    char line[HTTP_LINE_MAX];
};

void http_reply_begin(struct http_reply *reply);

/* Takes |len| bytes: how many of them belong to the response, or -EPROTO for what is none (|*reason| says
 * why, static). Done when reply->state is HTTP_DONE. */
int64_t http_reply_take(struct http_reply *reply, const char *bytes, size_t len, const char **reason);

/* The server has closed the connection: 0 if that is the end of the response, or -EPROTO. */
int http_reply_end(struct http_reply *reply, const char **reason);

#endif
