/*
 * The library's own general allocator: size classes over mmap'd chunks, large blocks by mmap alone. Nothing
 * we do goes through the application's malloc: one large block freed there moves glibc's dynamic thresholds,
 * and with them the application's own speed (by up to a third in measurements).
 *
 * Thread-safe by a futex lock. Not async-signal-safe. All functions return 16-byte aligned memory or NULL
 * when the kernel gives none; callers treat NULL as "this datum is dropped" and count it.
 */
#ifndef OTELPROF_SYS_HEAP_H
#define OTELPROF_SYS_HEAP_H

#include <stddef.h>

/* |size| bytes, not cleared. |size| 0 gives a valid pointer. */
void *heap_alloc(size_t size);

/* |count| x |size| zero bytes; NULL if the product overflows. */
void *heap_zalloc(size_t count, size_t size);

/* Moves |block| (NULL: a new one) to |size| bytes; on NULL the old block is still there. */
void *heap_realloc(void *block, size_t size);

/* Gives |block| (NULL: nothing) back. */
void heap_free(void *block);

/* A NUL-terminated copy of the |len| bytes at |text|. */
char *heap_strndup(const char *text, size_t len);

/* Grows |*array| (of |*cap| elements of |size| bytes) by doubling so that it holds |need|; 0 or -ENOMEM, the
 * old array intact. */
int heap_grow(void *array, size_t *cap, size_t need, size_t size);

/* Bytes mapped now, by this allocator and by the arenas. */
size_t heap_mapped_bytes(void);

/*
 * In a forked child, before anything else here: the lists may have been under change by a thread that is
 * gone, so what was free is forgotten. Blocks in use stay valid.
 */
void heap_after_fork(void);

/* Pages straight from the kernel, cleared: NULL or the address. |size| is rounded up to pages by both. */
void *heap_map(size_t size);
void heap_unmap(void *address, size_t size);

#endif
