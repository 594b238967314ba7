#include "encode/gzip.h"

#include <errno.h>
#include <zlib.h>

#include "sys/heap.h"

/* zlib.h, deflateInit2: 32 KiB window, + 16 writes a gzip header; memLevel 8 is the default. */
enum { GZIP_WINDOW_BITS = 15 + 16, GZIP_MEMORY = 8, GZIP_STEP = 1 << 30 };

static voidpf allocate(voidpf opaque, uInt items, uInt size)
{
    return heap_zalloc(items, size);
}

static void release(voidpf opaque, voidpf address)
{
    heap_free(address);
}

/* Feeds |size| bytes in pieces that fit zlib's 32-bit counts; Z_STREAM_END when all of it is out. */
static int deflate_all(z_stream *stream, const uint8_t *data, size_t size, uint8_t *out, size_t room)
{
    int rc = Z_OK;
    stream->next_in = (Bytef *)(uintptr_t)data;
    stream->next_out = out;
    while (rc == Z_OK) {
        size_t taken = (size_t)(stream->next_in - data), given = (size_t)(stream->next_out - out);
        stream->avail_in = (uInt)(size - taken > GZIP_STEP ? GZIP_STEP : size - taken);
        stream->avail_out = (uInt)(room - given > GZIP_STEP ? GZIP_STEP : room - given);
        rc = deflate(stream, taken + stream->avail_in == size ? Z_FINISH : Z_NO_FLUSH);
    }
    return rc;
}

int gzip_compress(const void *data, size_t size, int level, struct encode_buffer *out)
{
    if (level < 1 || level > 9) return -EINVAL;
    z_stream stream = {.zalloc = allocate, .zfree = release};
    if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return -ENOMEM;
    size_t bound = deflateBound(&stream, size);
    int rc = encode_buffer_reserve(out, bound);
    if (!rc) {
        if (deflate_all(&stream, data, size, out->data + out->size, bound) == Z_STREAM_END)
            out->size = (size_t)(stream.next_out - out->data);
        else
            rc = -EIO; /* cannot be: deflateBound is an upper bound */
    }
    deflateEnd(&stream);
    return rc;
}
