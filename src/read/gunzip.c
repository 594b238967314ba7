// SPDX-License-Identifier: Apache-2.0
#include "gunzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

// windowBits of inflateInit2: 15 bits of window, +16 = expect a gzip header and check its trailer.
#define GZIP_WINDOW (15 + 16)
// One output step. Small enough that a bomb is noticed soon after its limit.
#define STEP ((size_t)256 * 1024)

struct output {
    uint8_t *bytes;
    size_t size, capacity, limit;
};

bool read_is_gzip(const uint8_t *data, size_t size)
{
    return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static int make_room(struct output *out, struct read_error *error)
{
    if (out->capacity - out->size >= STEP) return 0;
    size_t capacity = out->capacity ? out->capacity * 2 : 4 * STEP;
    uint8_t *bytes = realloc(out->bytes, capacity);
    if (!bytes) return read_fail(error, ENOMEM, "no memory for %zu bytes of decompressed data", capacity);
    out->bytes = bytes;
    out->capacity = capacity;
    return 0;
}

static int explain(const z_stream *stream, int status, struct read_error *error)
{
    if (status == Z_MEM_ERROR) return read_fail(error, ENOMEM, "no memory to decompress");
    if (status == Z_OK || status == Z_BUF_ERROR)
        return read_fail(
            error, EBADMSG,
            "the gzip data is truncated: it ends after %lu decompressed bytes; copy or record it again",
            stream->total_out);
    const char *cause = stream->msg ? stream->msg : "needs a dictionary";
    return read_fail(error, EBADMSG, "the gzip data is damaged (zlib: %s); copy or record it again", cause);
}

// Inflates until the input is used up. Members are simply decoded into one output, as gzip(1) does.
static int inflate_members(z_stream *stream, struct output *out, struct read_error *error)
{
    for (;;) {
        int failed = make_room(out, error);
        if (failed) return failed;
        stream->next_out = out->bytes + out->size;
        stream->avail_out = (uInt)STEP;
        int status = inflate(stream, Z_NO_FLUSH);
        out->size += STEP - stream->avail_out;
        if (out->size > out->limit)
            return read_fail(error, EFBIG,
                             "it decompresses to more than %zu MiB, which no profile needs; refused as a "
                             "decompression bomb",
                             out->limit >> 20);
        if (status == Z_STREAM_END) {
            if (stream->avail_in == 0) return 0;
            inflateReset(stream);
        } else if (status != Z_OK || (stream->avail_in == 0 && stream->avail_out != 0)) {
            return explain(stream, status, error);
        }
    }
}

int read_gunzip(const uint8_t *data, size_t size, size_t limit, uint8_t **out, size_t *out_size,
                struct read_error *error)
{
    z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)size};
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return read_fail(error, ENOMEM, "no memory to decompress");
    struct output output = {.limit = limit};
    int failed = inflate_members(&stream, &output, error);
    inflateEnd(&stream);
    if (failed) {
        free(output.bytes);
        return failed;
    }
    *out = output.bytes;
    *out_size = output.size;
    return 0;
}
