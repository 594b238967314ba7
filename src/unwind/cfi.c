#include "unwind/cfi.h"

#include <errno.h>
#include <string.h>

#include "sys/heap.h"
#include "sys/selfmem.h"
#include "unwind/arch.h"
#include "unwind/cfa.h"
#include "unwind/ehframe.h"
#include "unwind/rows.h"

enum {
    CIE_SLOTS = 16,
    PADDING_MAX =
        15, /* functions are aligned to 16; a shorter gap is not worth a row (76k of them in node) */
    RESTORER = 0xffffffff, /* a record number that stands for the signal restorer */
    SCAN_CHUNK = 1 << 16,
    SCAN_MAX = 16 << 20,
    SPARSE_BYTES = 4096 /* less than one FDE for so much code: written without CFI */
};

/* A CIE decoded once: a linked binary has a few, and neighbouring functions alternate between them. */
struct known_cie {
    struct ehframe_cie cie;
    struct cfa_state initial;
    int used;
    int rc;
};

struct build {
    const struct cfi_source *source;
    struct ehframe_image image;
    struct ehframe_index index;
    struct cfi_rows rows;
    const struct unwind_rule *gap; /* of what no record covers */
    uint64_t budget;  /* bytes of instructions that may still run: damaged records may overlap each other */
    uint32_t covered; /* the offset up to which rows are written */
    uint32_t fdes;
    struct known_cie known[CIE_SLOTS];
};

static const struct unwind_rule invalid_rule = {.cfa = UNWIND_CFA_INVALID};
static const struct unwind_rule no_tables_rule = {.cfa = UNWIND_CFA_NO_TABLES};

static const struct known_cie *find_cie(struct build *b, uint32_t record)
{
    struct known_cie *k = &b->known[record / 8 % CIE_SLOTS];
    if (k->used && k->cie.record == record) return k->rc ? NULL : k;
    k->used = 1;
    k->rc = ehframe_cie(&b->image, record, &k->cie);
    k->cie.record = record;
    if (k->rc) return NULL;
    size_t size = cursor_left(&k->cie.program);
    b->budget = b->budget > size ? b->budget - size : 0;
    cfa_initial(&b->image, &k->cie, &k->initial);
    return k;
}

/* Marks what is between the functions before |from| and the one there. */
static void open_gap(struct build *b, uint32_t from)
{
    if (from > b->covered && (from - b->covered > PADDING_MAX || b->covered == 0))
        rows_add(&b->rows, b->covered, b->gap);
}

/* glibc's own FDE starts one byte early too: the frame is looked up at its return address - 1. */
static void add_restorer(struct build *b, uint32_t at)
{
    static const struct unwind_rule signal = {.cfa = UNWIND_CFA_SIGNAL};
    open_gap(b, at);
    rows_add(&b->rows, at, &signal);
    b->covered = at + 1 + ARCH_RESTORER_BYTES;
    rows_add(&b->rows, b->covered, b->gap);
}

static void add_fde(struct build *b, const struct ehframe_entry *entry, uint32_t next)
{
    const struct cfi_source *source = b->source;
    struct ehframe_fde fde;
    int64_t record = ehframe_cie_of(&b->image, entry->record);
    const struct known_cie *k = record < 0 ? NULL : find_cie(b, (uint32_t)record);
    if (!k || ehframe_fde(&b->image, entry->record, &k->cie, &fde)) return;
    size_t size = cursor_left(&fde.program);
    if (fde.start != source->start + entry->start || fde.limit <= fde.start || size > b->budget) return;
    b->budget -= size;
    uintptr_t limit = fde.limit < source->limit ? fde.limit : source->limit;
    if (limit > source->start + next) limit = source->start + next; /* overlapping: the later one counts */
    if (limit <= fde.start) return;
    open_gap(b, entry->start);
    cfa_run(&b->image, &k->cie, &fde, &k->initial, source->start, limit, &b->rows);
    b->covered = (uint32_t)(limit - source->start);
    b->fdes++;
}

/* Looks for the restorer's instructions in all of the module's code, as far as it is readable. */
static void scan_for_restorer(struct build *b)
{
    uintptr_t at = b->source->start, limit = b->source->limit;
    char *chunk = heap_alloc(SCAN_CHUNK);
    while (chunk && limit - at > ARCH_RESTORER_BYTES) {
        size_t size = limit - at < SCAN_CHUNK ? limit - at : SCAN_CHUNK;
        if (selfmem_read(at, chunk, size)) break;
        const char *found = memmem(chunk, size, ARCH_RESTORER_CODE, ARCH_RESTORER_BYTES);
        uintptr_t hit = at + (uintptr_t)(found ? found - chunk : 0);
        if (found && hit > b->source->start)
            ehframe_index_add(&b->index, (uint32_t)(hit - 1 - b->source->start), RESTORER);
        at = found ? hit + ARCH_RESTORER_BYTES : at + size - (ARCH_RESTORER_BYTES - 1);
    }
    heap_free(chunk);
}

/* For each page the last row that starts at or before its first byte. */
static void fill_pages(uint32_t *page, size_t pages, const uint32_t *pc, size_t rows)
{
    size_t row = 0;
    for (size_t i = 0; i < pages; i++) {
        while (row + 1 < rows && pc[row + 1] <= i << CFI_PAGE_SHIFT) row++;
        page[i] = (uint32_t)row;
    }
    page[pages] = (uint32_t)(rows - 1);
}

/* Table and rows in one block of the exact size. */
static int finish(const struct build *b, struct cfi_table **table)
{
    const struct cfi_source *source = b->source;
    size_t rows = b->rows.count;
    size_t pages = (source->limit - source->start + (1 << CFI_PAGE_SHIFT) - 1) >> CFI_PAGE_SHIFT;
    struct cfi_table *t =
        heap_alloc(sizeof *t + (pages + 1 + rows) * sizeof(uint32_t) + rows * sizeof(uint16_t));
    if (!t) return -ENOMEM;
    uint32_t *page = (uint32_t *)(t + 1), *pc = page + pages + 1;
    uint16_t *rule = (uint16_t *)(pc + rows);
    memcpy(pc, b->rows.pc, rows * sizeof *pc);
    memcpy(rule, b->rows.rule, rows * sizeof *rule);
    fill_pages(page, pages, pc, rows);
    *t = (struct cfi_table){source->start, source->limit, (uint32_t)rows, (uint32_t)pages, b->fdes, pc,
                            rule,          page};
    *table = t;
    return 0;
}

static void add_all(struct build *b)
{
    size_t count = b->index.count;
    uint32_t end = (uint32_t)(b->source->limit - b->source->start);
    for (size_t i = 0; i < count; i++) {
        const struct ehframe_entry *entry = &b->index.entries[i];
        if (entry->record == RESTORER)
            add_restorer(b, entry->start);
        else
            add_fde(b, entry, i + 1 < count ? entry[1].start : end);
    }
    if (b->covered < end || b->rows.count == 0) rows_add(&b->rows, b->covered, b->gap);
}

int cfi_build(const struct cfi_source *source, struct cfi_table **table)
{
    *table = NULL;
    if (source->limit <= source->start) return -EINVAL;
    if (source->limit - source->start > UINT32_MAX) return -EFBIG;
    struct build *b = heap_zalloc(1, sizeof *b);
    if (!b) return -ENOMEM;
    b->source = source;
    b->gap = &invalid_rule;
    rule_intern(&invalid_rule); /* a table of gaps needs the array, too */
    int rc = 0;
    if (source->hdr) rc = ehframe_load(source, &b->image, &b->index);
    size_t text = source->limit - source->start;
    if (!rc && text <= SCAN_MAX && b->index.count < text / SPARSE_BYTES) {
        b->gap = &no_tables_rule;
        scan_for_restorer(b);
        rc = ehframe_index_sort(&b->index);
    }
    if (!rc) {
        b->budget = 4 * (uint64_t)b->image.size;
        add_all(b);
        rc = b->rows.failed ? -ENOMEM : finish(b, table);
    }
    ehframe_unload(&b->image, &b->index);
    rows_free(&b->rows);
    heap_free(b);
    return rc;
}

void cfi_free(struct cfi_table *table)
{
    heap_free(table);
}

size_t cfi_bytes(const struct cfi_table *t)
{
    return sizeof *t + (t->page_count + 1 + t->row_count) * sizeof(uint32_t) +
           t->row_count * sizeof(uint16_t);
}
