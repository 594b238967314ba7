#include "encode/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/rawcall.h"

enum {
    PRINT_MAX = 1000,
    PAGE_BYTES = 4096,
    POPULATE_WRITE =
        23 /* MADV_POPULATE_WRITE, linux/include/uapi/asm-generic/mman-common.h; not in glibc 2.17 */
};

/* Exact where heap_grow would double: messages are megabytes and their size is known beforehand. */
int encode_buffer_reserve(struct encode_buffer *buffer, size_t extra)
{
    size_t need = buffer->size + extra;
    if (need < extra) return -ENOMEM;
    if (need <= buffer->cap) return 0;
    size_t cap = buffer->cap + buffer->cap / 2;
    if (cap < need) cap = need;
    uint8_t *data = heap_realloc(buffer->data, cap);
    if (!data) return -ENOMEM;
    buffer->data = data;
    buffer->cap = cap;
    return 0;
}

void encode_buffer_populate(struct encode_buffer *buffer)
{
    uintptr_t start = ((uintptr_t)buffer->data + buffer->size) & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t end = (uintptr_t)buffer->data + buffer->cap;
    if (end - start >= 16 * PAGE_BYTES) sys_call3(SYS_madvise, start, end - start, POPULATE_WRITE);
}

int encode_buffer_append(struct encode_buffer *buffer, const void *data, size_t size)
{
    int rc = encode_buffer_reserve(buffer, size);
    if (rc) return rc;
    if (size) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return 0;
}

int encode_buffer_print(struct encode_buffer *buffer, const char *format, ...)
{
    char text[PRINT_MAX + 1];
    va_list args;
    va_start(args, format);
    size_t n = fmt_text_v(text, sizeof text, format, args);
    va_end(args);
    return encode_buffer_append(buffer, text, n);
}

void encode_buffer_free(struct encode_buffer *buffer)
{
    heap_free(buffer->data);
    *buffer = (struct encode_buffer){0};
}
