#include "net/http_reply.h"

#include <errno.h>
#include <string.h>

#include "config/values.h"
#include "net/http_date.h"

enum { STATUS_AT = 9 }; /* in "HTTP/1.1 200 OK" */

static int refuse(const char **reason, const char *text)
{
    *reason = text;
    return -EPROTO;
}

void http_reply_begin(struct http_reply *reply)
{
    memset(reply, 0, offsetof(struct http_reply, body));
    reply->body_size = reply->head_bytes = reply->line_len = 0;
    reply->left = 0;
    reply->state = HTTP_STATUS;
    reply->is_interim = reply->is_chunked = reply->has_length = 0;
    reply->retry_after = reply->retry_date = reply->date = -1;
}

static int take_status(struct http_reply *reply, const char **reason)
{
    const char *line = reply->line;
    int64_t status;
    if (reply->line_len < STATUS_AT + 3 || memcmp(line, "HTTP/1.", 7) != 0 || line[8] != ' ' ||
        value_number(line + STATUS_AT, 3, &status) || status < 100 || status > 599 ||
        (reply->line_len > STATUS_AT + 3 && line[STATUS_AT + 3] != ' '))
        return refuse(reason, "the server does not speak HTTP/1.1");
    reply->status = (int)status;
    reply->is_interim = status < 200;
    reply->closes = line[7] == '0';
    reply->state = HTTP_HEADERS;
    return 0;
}

static int is_name(const char *name, size_t len, const char *expected)
{
    if (strlen(expected) != len) return 0;
    for (size_t i = 0; i < len; i++)
        if ((name[i] | 0x20) != expected[i]) return 0;
    return 1;
}

/* True if the comma list |value| has the word. */
static int has_word(const char *value, const char *word)
{
    size_t len;
    for (const char *item; (item = value_next_item(&value, &len));)
        if (is_name(item, len, word)) return 1;
    return 0;
}

static int take_length(struct http_reply *reply, const char *value, size_t len, const char **reason)
{
    int64_t number;
    if (value_number(value, len, &number)) return refuse(reason, "its Content-Length is no number");
    if (reply->has_length && reply->left != (uint64_t)number)
        return refuse(reason, "it has two different Content-Lengths");
    reply->has_length = 1;
    reply->left = (uint64_t)number;
    return 0;
}

static void take_retry_after(struct http_reply *reply, const char *value, size_t len)
{
    int64_t seconds;
    if (!value_number(value, len, &seconds))
        reply->retry_after = seconds;
    else
        reply->retry_date = http_date_parse(value, len);
}

/* One header line, terminated. */
static int take_header(struct http_reply *reply, const char **reason)
{
    char *colon = memchr(reply->line, ':', reply->line_len);
    if (!colon) return refuse(reason, "it has a header without a colon");
    size_t name_len = (size_t)(colon - reply->line), len = reply->line_len - name_len - 1;
    const char *value = value_trim(colon + 1, &len);
    reply->line[value - reply->line + (ptrdiff_t)len] = 0;
    if (is_name(reply->line, name_len, "content-length")) return take_length(reply, value, len, reason);
    if (is_name(reply->line, name_len, "transfer-encoding")) reply->is_chunked = has_word(value, "chunked");
    if (is_name(reply->line, name_len, "connection") && has_word(value, "close")) reply->closes = 1;
    if (is_name(reply->line, name_len, "retry-after")) take_retry_after(reply, value, len);
    if (is_name(reply->line, name_len, "date")) reply->date = http_date_parse(value, len);
    if (is_name(reply->line, name_len, "content-type")) {
        if (len >= sizeof reply->content_type) len = sizeof reply->content_type - 1;
        memcpy(reply->content_type, value, len);
        reply->content_type[len] = 0;
    }
    return 0;
}

/* RFC 9112, 6.3: how long the body is. */
static void end_of_head(struct http_reply *reply)
{
    int has_none = reply->status == 204 || reply->status == 304;
    if (reply->is_interim)
        reply->state = HTTP_STATUS;
    else if (has_none || (!reply->is_chunked && reply->has_length && !reply->left))
        reply->state = HTTP_DONE;
    else
        reply->state = reply->is_chunked ? HTTP_CHUNK_SIZE : HTTP_BODY;
    if (reply->state == HTTP_BODY && !reply->has_length) reply->closes = 1;
    if (reply->is_interim) reply->has_length = reply->is_chunked = 0;
}

static int take_chunk_size(struct http_reply *reply, const char **reason)
{
    uint64_t size = 0;
    size_t i = 0;
    for (; i < reply->line_len && i < 15; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, reply->line[i] | 0x20);
        if (!digit || !*digit) break;
        size = size << 4 | (uint64_t)(digit - digits);
    }
    if (!i || (i < reply->line_len && reply->line[i] != ';' && reply->line[i] != ' '))
        return refuse(reason, "it has a chunk without a size");
    reply->left = size;
    reply->state = size ? HTTP_CHUNK : HTTP_TRAILERS;
    return 0;
}

/* A whole line, in reply->line. */
static int take_line(struct http_reply *reply, const char **reason)
{
    switch (reply->state) {
    case HTTP_STATUS:
        return take_status(reply, reason);
    case HTTP_HEADERS:
        if (reply->line_len) return take_header(reply, reason);
        end_of_head(reply);
        return 0;
    case HTTP_CHUNK_SIZE:
        return take_chunk_size(reply, reason);
    case HTTP_CHUNK_END:
        if (reply->line_len) return refuse(reason, "it has a chunk that is longer than it says");
        reply->state = HTTP_CHUNK_SIZE;
        return 0;
    default: /* HTTP_TRAILERS */
        if (!reply->line_len) reply->state = HTTP_DONE;
        return 0;
    }
}

/* Bytes up to the end of a line; how many were taken. */
static int64_t take_line_bytes(struct http_reply *reply, const char *bytes, size_t len, const char **reason)
{
    const char *newline = memchr(bytes, '\n', len);
    size_t n = newline ? (size_t)(newline - bytes) : len;
    reply->head_bytes += n;
    if (reply->line_len + n >= sizeof reply->line || reply->head_bytes > HTTP_HEAD_MAX)
        return refuse(reason, "its head is too long");
    memcpy(reply->line + reply->line_len, bytes, n);
    reply->line_len += n;
    if (!newline) return (int64_t)n;
    if (reply->line_len && reply->line[reply->line_len - 1] == '\r') reply->line_len--;
    reply->line[reply->line_len] = 0;
    int rc = take_line(reply, reason);
    reply->line_len = 0;
    return rc ? rc : (int64_t)n + 1;
}

static size_t take_body_bytes(struct http_reply *reply, const char *bytes, size_t len)
{
    int is_endless = reply->state == HTTP_BODY && !reply->has_length;
    if (!is_endless && len > reply->left) len = (size_t)reply->left;
    size_t room = sizeof reply->body - reply->body_size, kept = len < room ? len : room;
    memcpy(reply->body + reply->body_size, bytes, kept);
    reply->body_size += kept;
    if (is_endless) return len;
    reply->left -= len;
    if (!reply->left) reply->state = reply->state == HTTP_BODY ? HTTP_DONE : HTTP_CHUNK_END;
    return len;
}

int64_t http_reply_take(struct http_reply *reply, const char *bytes, size_t len, const char **reason)
{
    size_t taken = 0;
    while (taken < len && reply->state != HTTP_DONE) {
        if (reply->state == HTTP_BODY || reply->state == HTTP_CHUNK) {
            taken += take_body_bytes(reply, bytes + taken, len - taken);
            continue;
        }
        int64_t n = take_line_bytes(reply, bytes + taken, len - taken, reason);
        if (n < 0) return n;
        taken += (size_t)n;
    }
    return (int64_t)taken;
}

int http_reply_end(struct http_reply *reply, const char **reason)
{
    if (reply->state == HTTP_BODY && !reply->has_length) reply->state = HTTP_DONE;
    if (reply->state == HTTP_DONE) return 0;
    return refuse(reason, "the server closed the connection before its answer was whole");
}
