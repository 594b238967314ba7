#include "net/http.h"

#include <errno.h>
#include <string.h>

#include "encode/buffer.h"

enum { READ_BYTES = 16 * 1024 };

static int write_head(struct stream *stream, const struct http_request *request)
{
    struct encode_buffer head = {0};
    int rc = encode_buffer_print(&head, "POST ");
    if (!rc) rc = encode_buffer_append(&head, request->path, strlen(request->path));
    if (!rc)
        rc = encode_buffer_print(&head, " HTTP/1.1\r\nHost: %s\r\nContent-Length: %lu\r\n",
                                 request->authority, (unsigned long)request->body_size);
    for (size_t i = 0; i < request->header_count && !rc; i++) {
        const struct http_header *header = &request->headers[i];
        rc = encode_buffer_append(&head, header->name, strlen(header->name));
        if (!rc) rc = encode_buffer_append(&head, ": ", 2);
        if (!rc) rc = encode_buffer_append(&head, header->value, strlen(header->value));
        if (!rc) rc = encode_buffer_append(&head, "\r\n", 2);
    }
    if (!rc) rc = encode_buffer_append(&head, "\r\n", 2);
    if (!rc) rc = stream_write(stream, head.data, head.size);
    encode_buffer_free(&head);
    return rc;
}

static int read_reply(struct stream *stream, struct http_reply *reply, const char **reason)
{
    char bytes[READ_BYTES];
    http_reply_begin(reply);
    while (reply->state != HTTP_DONE) {
        int64_t n = stream_read(stream, bytes, sizeof bytes);
        if (n < 0) return (int)n;
        if (n == 0) return http_reply_end(reply, reason);
        int64_t taken = http_reply_take(reply, bytes, (size_t)n, reason);
        if (taken < 0) return (int)taken;
        if (taken < n) reply->closes = 1; /* what comes behind is nobody's answer */
    }
    return 0;
}

int http_post(struct stream *stream, const struct http_request *request, struct http_reply *reply,
              const char **reason)
{
    *reason = NULL;
    int sent = write_head(stream, request);
    if (!sent) sent = stream_write(stream, request->body, request->body_size);
    if (sent && sent != -EPIPE && sent != -ECONNRESET) return sent;
    int rc = read_reply(stream, reply, reason);
    if (sent) reply->closes = 1;
    return rc && sent ? sent : rc;
}
