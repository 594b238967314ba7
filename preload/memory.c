/*
 * The malloc of this library alone, hidden from everybody else: zlib and the demangler, linked in statically,
 * must not use the application's (sys/heap.h says why).
 */
#include <stddef.h>

#include "sys/heap.h"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *malloc(size_t size)
{
    return heap_alloc(size);
}

HIDDEN void *calloc(size_t count, size_t size)
{
    return heap_zalloc(count, size);
}

HIDDEN void *realloc(void *block, size_t size)
{
    return heap_realloc(block, size);
}

HIDDEN void free(void *block)
{
    heap_free(block);
}
