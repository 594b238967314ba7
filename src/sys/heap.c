#include "sys/heap.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "sys/lock.h"
#include "sys/rawcall.h"

/* Every block has a 16-byte header with its class, so that free needs no size. */
struct header {
    uint64_t size; /* usable bytes */
    uint32_t class;
    uint32_t check; /* HEADER_CHECK: a foreign pointer is ignored instead of corrupting the lists */
};

enum {
    CLASS_COUNT = 24, /* 16, 24, 32, 48, 64 ... 64 KiB: two classes a power of two */
    CLASS_LARGE = 255,
    CHUNK_BYTES = 256 * 1024,
    HEADER_CHECK = 0x6f70726f,
    PAGE_BYTES = 4096
};

struct free_block {
    struct free_block *next;
};

static struct {
    struct lock lock;
    struct free_block *free[CLASS_COUNT];
    char *chunk; /* the rest of the chunk that small blocks are cut from */
    size_t chunk_left;
    size_t mapped;
} heap;

static size_t round_to_pages(size_t size)
{
    return (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

void *heap_map(size_t size)
{
    size = round_to_pages(size);
    long address = sys_call6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sys_failed(address)) return NULL;
    __atomic_add_fetch(&heap.mapped, size, __ATOMIC_RELAXED);
    return (void *)address;
}

void heap_unmap(void *address, size_t size)
{
    if (!address) return;
    size = round_to_pages(size);
    sys_call2(SYS_munmap, address, size);
    __atomic_sub_fetch(&heap.mapped, size, __ATOMIC_RELAXED);
}

size_t heap_mapped_bytes(void)
{
    return __atomic_load_n(&heap.mapped, __ATOMIC_RELAXED);
}

void heap_after_fork(void)
{
    lock_reset(&heap.lock);
    memset(heap.free, 0, sizeof heap.free);
    heap.chunk_left = 0;
}

/* Usable bytes of class |c|: 16, 24, 32, 48, 64, 96 ... */
static size_t class_bytes(unsigned c)
{
    size_t power = (size_t)16 << (c / 2);
    return c % 2 ? power + power / 2 : power;
}

static unsigned class_for(size_t size)
{
    unsigned c = 0;
    while (c < CLASS_COUNT && class_bytes(c) < size) c++;
    return c;
}

static void *alloc_large(size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    struct header *h = heap_map(size + sizeof *h);
    if (!h) return NULL;
    *h = (struct header){round_to_pages(size + sizeof *h) - sizeof *h, CLASS_LARGE, HEADER_CHECK};
    return h + 1;
}

/* A new block of class |c| cut from the chunk; the lock is held. */
static struct header *cut_block(unsigned c)
{
    size_t need = sizeof(struct header) + ((class_bytes(c) + 15) & ~(size_t)15);
    if (heap.chunk_left < need) {
        char *chunk = heap_map(CHUNK_BYTES);
        if (!chunk) return NULL;
        heap.chunk = chunk;
        heap.chunk_left = CHUNK_BYTES;
    }
    struct header *h = (struct header *)heap.chunk;
    heap.chunk += need;
    heap.chunk_left -= need;
    *h = (struct header){class_bytes(c), c, HEADER_CHECK};
    return h;
}

void *heap_alloc(size_t size)
{
    unsigned c = class_for(size);
    if (c == CLASS_COUNT) return alloc_large(size);
    void *block = NULL;
    lock_acquire(&heap.lock);
    if (heap.free[c]) {
        block = heap.free[c];
        heap.free[c] = heap.free[c]->next;
    } else {
        struct header *h = cut_block(c);
        if (h) block = h + 1;
    }
    lock_release(&heap.lock);
    return block;
}

void *heap_zalloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    void *block = heap_alloc(bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

void heap_free(void *block)
{
    if (!block) return;
    struct header *h = (struct header *)block - 1;
    if (h->check != HEADER_CHECK) return;
    if (h->class == CLASS_LARGE) {
        heap_unmap(h, h->size + sizeof *h);
        return;
    }
    struct free_block *f = block;
    lock_acquire(&heap.lock);
    f->next = heap.free[h->class];
    heap.free[h->class] = f;
    lock_release(&heap.lock);
}

/* A large block grows where it is, or the kernel moves its pages: no copy. */
static void *realloc_large(struct header *h, size_t size)
{
    size_t old = h->size + sizeof *h, new = round_to_pages(size + sizeof *h);
    long address = sys_call4(SYS_mremap, h, old, new, MREMAP_MAYMOVE);
    if (sys_failed(address)) return NULL;
    __atomic_add_fetch(&heap.mapped, new - old, __ATOMIC_RELAXED);
    h = (struct header *)address;
    h->size = new - sizeof *h;
    return h + 1;
}

void *heap_realloc(void *block, size_t size)
{
    if (!block) return heap_alloc(size);
    struct header *h = (struct header *)block - 1;
    if (size <= h->size) return block;
    if (h->class == CLASS_LARGE && size < SIZE_MAX / 2) return realloc_large(h, size);
    void *bigger = heap_alloc(size);
    if (!bigger) return NULL;
    memcpy(bigger, block, h->size);
    heap_free(block);
    return bigger;
}

char *heap_strndup(const char *text, size_t len)
{
    char *copy = heap_alloc(len + 1);
    if (!copy) return NULL;
    memcpy(copy, text, len);
    copy[len] = 0;
    return copy;
}

int heap_grow(void *array, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap) return 0;
    size_t wanted = *cap ? *cap : 16;
    while (wanted < need) wanted *= 2;
    void *old;
    memcpy(&old, array, sizeof old);
    void *bigger = heap_realloc(old, wanted * size);
    if (!bigger) return -ENOMEM;
    memcpy(array, &bigger, sizeof bigger);
    *cap = wanted;
    return 0;
}
