/*
 * sys/heap.h over malloc, instead of ours: the sanitizer then sees every byte read or written outside of a
 * block, and a test can let the n-th allocation fail. Include it in one file of a test program.
 */
#ifndef OTELPROF_TESTS_UNWIND_HEAP_H
#define OTELPROF_TESTS_UNWIND_HEAP_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/heap.h"

static struct {
    long until_failure; /* allocations that still succeed; negative: all do */
    long live;
} test_heap = {-1, 0};

static int must_fail(void)
{
    return test_heap.until_failure >= 0 && test_heap.until_failure-- == 0;
}

void *heap_alloc(size_t size)
{
    void *block = must_fail() ? NULL : malloc(size);
    test_heap.live += block != NULL;
    return block;
}

void *heap_zalloc(size_t count, size_t size)
{
    void *block = must_fail() ? NULL : calloc(count, size);
    test_heap.live += block != NULL;
    return block;
}

void *heap_realloc(void *block, size_t size)
{
    if (!block) return heap_alloc(size);
    return must_fail() ? NULL : realloc(block, size);
}

void heap_free(void *block)
{
    test_heap.live -= block != NULL;
    free(block);
}

char *heap_strndup(const char *text, size_t len)
{
    return strndup(text, len);
}

int heap_grow(void *array, size_t *cap, size_t need, size_t size)
{
    void *old;
    if (need <= *cap) return 0;
    memcpy(&old, array, sizeof old);
    size_t wanted = need + need / 2; /* not ours: the code must not depend on the growth */
    void *bigger = heap_realloc(old, wanted * size);
    if (!bigger) return -ENOMEM;
    memcpy(array, &bigger, sizeof bigger);
    *cap = wanted;
    return 0;
}

size_t heap_mapped_bytes(void)
{
    return 0;
}

void heap_after_fork(void) {}

void *heap_map(size_t size)
{
    return heap_zalloc(1, size);
}

void heap_unmap(void *address, size_t size)
{
    heap_free(address);
}

#endif
