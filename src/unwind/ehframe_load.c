#include <errno.h>
#include <string.h>

#include "sys/heap.h"
#include "sys/file.h"
#include "sys/selfmem.h"
#include "unwind/arch.h"
#include "unwind/ehframe.h"

enum {
    IMAGE_MAX = 1 << 30,  /* offsets are 32 bits; the largest seen is 20 MB (librustc_driver) */
    RECORD_MAX = 1 << 20, /* a longer record is taken for damage */
    STEP_BYTES = 1 << 16, /* of a copy whose end is not known beforehand */
    PAGE_BYTES = 4096,    /* the smallest unit that can be missing */
    RADIX_BITS = 11,      /* three passes for 32 bits; 8 KiB of counters */
    RADIX_SIZE = 1 << RADIX_BITS
};

/* The fixed head of .eh_frame_hdr and what it leads to. */
struct header {
    uintptr_t frames;     /* address of .eh_frame */
    const uint8_t *table; /* pairs of int32: code start and FDE, from the header's address; NULL: none */
    size_t pairs;
    uintptr_t address; /* the header's own */
};

int ehframe_index_add(struct ehframe_index *index, uint32_t start, uint32_t record)
{
    if (heap_grow(&index->entries, &index->cap, index->count + 1, sizeof *index->entries)) return -ENOMEM;
    index->entries[index->count++] = (struct ehframe_entry){start, record};
    return 0;
}

static void radix_pass(const struct ehframe_entry *from, struct ehframe_entry *to, size_t count,
                       uint32_t *places, unsigned shift)
{
    memset(places, 0, RADIX_SIZE * sizeof *places);
    for (size_t i = 0; i < count; i++) places[(from[i].start >> shift) % RADIX_SIZE]++;
    uint32_t sum = 0;
    for (size_t i = 0; i < RADIX_SIZE; i++) {
        uint32_t n = places[i];
        places[i] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++) to[places[(from[i].start >> shift) % RADIX_SIZE]++] = from[i];
}

int ehframe_index_sort(struct ehframe_index *index)
{
    size_t i = 1;
    while (i < index->count && index->entries[i - 1].start <= index->entries[i].start) i++;
    if (i >= index->count) return 0; /* linkers write the search table sorted */
    struct ehframe_entry *other = heap_alloc(index->cap * sizeof *other);
    uint32_t *places = heap_alloc(RADIX_SIZE * sizeof *places);
    if (!other || !places) {
        heap_free(other);
        heap_free(places);
        return -ENOMEM;
    }
    radix_pass(index->entries, other, index->count, places, 0);
    radix_pass(other, index->entries, index->count, places, RADIX_BITS);
    radix_pass(index->entries, other, index->count, places, 2 * RADIX_BITS);
    heap_free(places);
    heap_free(index->entries);
    index->entries = other;
    return 0;
}

/* Decodes the header's copy |data|; a table in another form than every linker's (datarel | sdata4) is not
 * used. */
static int read_header(const uint8_t *data, size_t size, uintptr_t address, struct header *h)
{
    struct cursor c = {data, data + size, 0};
    *h = (struct header){.address = address};
    if (cursor_u8(&c) != 1) return -EINVAL;
    uint8_t frames = cursor_u8(&c), count = cursor_u8(&c), table = cursor_u8(&c);
    uintptr_t here = address + (uintptr_t)(c.at - data);
    h->frames = cursor_pointer(&c, frames);
    if ((frames & PE_BASE) == PE_PCREL)
        h->frames += here;
    else if ((frames & PE_BASE) == PE_DATAREL)
        h->frames += address;
    if (c.bad || frames == PE_OMIT || (frames & PE_INDIRECT)) return -EINVAL;
    if (count == PE_OMIT || table != (PE_DATAREL | PE_SDATA4)) return 0;
    uint64_t pairs = cursor_pointer(&c, count);
    if (c.bad) return 0;
    h->pairs = pairs < cursor_left(&c) / 8 ? pairs : cursor_left(&c) / 8;
    h->table = h->pairs ? c.at : NULL;
    return 0;
}

static uintptr_t table_field(const struct header *h, size_t i, unsigned field)
{
    int32_t offset;
    memcpy(&offset, h->table + i * 8 + field * 4, sizeof offset);
    return h->address + (uintptr_t)(intptr_t)offset;
}

/* |size| bytes at |address|, out of the module's file if that has them, else out of its memory. */
static int copy_part(const struct cfi_file *file, uintptr_t address, void *buffer, size_t size)
{
    if (file && address >= file->start && address < file->limit && size <= file->limit - address &&
        file_read_at(file->fd, buffer, size, file->offset + (address - file->start)) == (int64_t)size)
        return 0;
    return selfmem_read(address, buffer, size);
}

/* Copies .eh_frame up to the end of the last record that the table names. */
static int copy_by_table(const struct header *h, const struct cfi_file *file, struct ehframe_image *image)
{
    uintptr_t last = h->frames;
    for (size_t i = 0; i < h->pairs; i++) {
        uintptr_t record = table_field(h, i, 1);
        if (record > last) last = record;
    }
    struct {
        uint32_t length, low, high;
    } __attribute__((packed)) head;
    if (selfmem_read(last, &head, sizeof head)) return -EFAULT;
    uint64_t length = head.length + 4ULL;
    if (head.length == 0xffffffff) length = ((uint64_t)head.high << 32 | head.low) + 12;
    uint64_t size;
    if (__builtin_add_overflow(last - h->frames, length, &size) || size > IMAGE_MAX) return -EFAULT;
    image->data = heap_alloc(size);
    if (!image->data) return -ENOMEM;
    image->size = size;
    image->address = h->frames;
    if (copy_part(file, h->frames, image->data, size) == 0) return 0;
    heap_free(image->data);
    image->data = NULL;
    return -EFAULT;
}

static int list_by_table(const struct header *h, const struct cfi_file *file, uintptr_t start,
                         uintptr_t limit, struct ehframe_image *image, struct ehframe_index *index)
{
    int rc = copy_by_table(h, file, image);
    if (rc) return rc;
    if (heap_grow(&index->entries, &index->cap, h->pairs, sizeof *index->entries)) return -ENOMEM;
    for (size_t i = 0; i < h->pairs; i++) {
        uintptr_t code = table_field(h, i, 0), record = table_field(h, i, 1);
        if (code < start || code >= limit || record - image->address >= image->size) continue;
        ehframe_index_add(index, (uint32_t)(code - start), (uint32_t)(record - image->address));
    }
    return 0;
}

/* One more piece of the original, at most STEP_BYTES and up to a page's end; -EFAULT past the last page. */
static int copy_more(struct ehframe_image *image, size_t *cap)
{
    uintptr_t from = image->address + image->size;
    size_t page_rest = PAGE_BYTES - from % PAGE_BYTES;
    size_t step = STEP_BYTES - from % STEP_BYTES;
    if (image->size + step > IMAGE_MAX) return -EFAULT;
    if (heap_grow(&image->data, cap, image->size + step, 1)) return -ENOMEM;
    if (selfmem_read(from, image->data + image->size, step)) {
        step = page_rest;
        if (selfmem_read(from, image->data + image->size, step)) return -EFAULT;
    }
    image->size += step;
    return 0;
}

/* The first byte after the record at |at|: 0 at the terminator or at damage, -EFAULT when it is not copied
 * (yet). */
static int64_t record_end(const struct ehframe_image *image, size_t at)
{
    struct cursor c = {image->data + at, image->data + image->size, 0};
    uint64_t length = cursor_fixed(&c, 4), head = 4;
    if (length == 0xffffffff) {
        length = cursor_fixed(&c, 8);
        head = 12;
    }
    if (c.bad) return -EFAULT;
    if (length == 0 || length > RECORD_MAX) return 0;
    return at + head + length > image->size ? -EFAULT : (int64_t)(at + head + length);
}

static void list_record(const struct ehframe_image *image, size_t at, uintptr_t start, uintptr_t limit,
                        struct ehframe_index *index)
{
    struct ehframe_cie cie;
    struct ehframe_fde fde;
    int64_t parent = ehframe_cie_of(image, (uint32_t)at);
    if (parent < 0 || ehframe_cie(image, (uint32_t)parent, &cie) ||
        ehframe_fde(image, (uint32_t)at, &cie, &fde))
        return;
    if (fde.start < start || fde.start >= limit) return;
    ehframe_index_add(index, (uint32_t)(fde.start - start), (uint32_t)at);
}

/* Follows the records from the first to the terminator, copying as far as they lead. */
static int list_in_sequence(const struct header *h, uintptr_t start, uintptr_t limit,
                            struct ehframe_image *image, struct ehframe_index *index)
{
    size_t cap = 0, at = 0;
    *image = (struct ehframe_image){.address = h->frames};
    for (;;) {
        int64_t next = record_end(image, at);
        if (next == 0) return 0;
        if (next > 0) {
            list_record(image, at, start, limit, index);
            at = (size_t)next;
            continue;
        }
        int rc = copy_more(image, &cap);
        if (rc) return image->size ? 0 : rc; /* the rest is not readable: keep what there is */
    }
}

int ehframe_load(const struct cfi_source *source, struct ehframe_image *image, struct ehframe_index *index)
{
    uintptr_t hdr = source->hdr;
    size_t hdr_size = source->hdr_size;
    *image = (struct ehframe_image){0};
    *index = (struct ehframe_index){0};
    if (hdr_size < 8 || hdr_size > IMAGE_MAX) return -EINVAL;
    uint8_t *copy = heap_alloc(hdr_size);
    if (!copy) return -ENOMEM;
    struct header h;
    int rc = copy_part(source->file, hdr, copy, hdr_size);
    if (!rc) rc = read_header(copy, hdr_size, hdr, &h);
    if (!rc) {
        rc = h.table ? list_by_table(&h, source->file, source->start, source->limit, image, index) : -EFAULT;
        if (rc == -EFAULT) rc = list_in_sequence(&h, source->start, source->limit, image, index);
    }
    heap_free(copy);
    if (!rc) rc = ehframe_index_sort(index);
    if (rc) ehframe_unload(image, index);
    return rc;
}

void ehframe_unload(struct ehframe_image *image, struct ehframe_index *index)
{
    heap_free(image->data);
    heap_free(index->entries);
    *image = (struct ehframe_image){0};
    *index = (struct ehframe_index){0};
}
