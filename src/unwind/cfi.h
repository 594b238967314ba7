/*
 * The unwind table of one module, compiled from its .eh_frame: 6 bytes a row and 4 a 512-byte page of code
 * (node 20, 98 MB: 277k rows, 1.9 MB, 18 ms). It refers to nothing of the module, so dlclose cannot make a
 * handler fault.
 */
#ifndef OTELPROF_UNWIND_CFI_H
#define OTELPROF_UNWIND_CFI_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"

enum { CFI_PAGE_SHIFT = 9 };

struct cfi_table {
    uintptr_t start; /* of the module's executable range */
    uintptr_t limit;
    uint32_t row_count;
    uint32_t page_count;
    uint32_t fde_count;
    const uint32_t *pc;   /* row_count offsets from start, ascending; pc[0] is 0 */
    const uint16_t *rule; /* row_count numbers: the rule from there to the next row */
    const uint32_t *page; /* page_count + 1: the row that holds at each page's first byte */
};

/* The part of a module's file that one of its segments is mapped from. */
struct cfi_file {
    int fd;
    uintptr_t start, limit; /* runtime addresses of the segment */
    uint64_t offset;        /* of |start| in the file */
};

struct cfi_source {
    uintptr_t hdr; /* runtime address of .eh_frame_hdr (PT_GNU_EH_FRAME); 0: the module has none */
    size_t hdr_size;
    uintptr_t start; /* the range of addresses that holds all of the module's code */
    uintptr_t limit;
    const struct cfi_file
        *file; /* read large parts from here; NULL: all from memory. Reading memory makes the pages
                * of .eh_frame resident (node: 5.5 MB), which a process that throws seldom never has. */
};

/*
 * Builds the table of the module at |source|, reading its file, or its memory by sys/selfmem.h only: 0 and
 * the table in
 * |*table|, which the caller ends with cfi_free (or gives to tables_publish); -EFAULT when the module is not
 * mapped (any more), -EINVAL for a header that is not one, -EFBIG for 4 GiB of code or more, -ENOMEM.
 * Damaged records become gaps. Code between the functions of the table, when it is more than padding, is
 * UNWIND_RULE_INVALID. A module with hardly any FDE (musl has 4) is searched for the signal restorer's
 * bytes, and what is between its functions is UNWIND_CFA_NO_TABLES. Background thread; allocates twice the
 * size of .eh_frame for the time of the call.
 */
int cfi_build(const struct cfi_source *source, struct cfi_table **table);

void cfi_free(struct cfi_table *table);

/* Bytes that the table occupies. */
size_t cfi_bytes(const struct cfi_table *table);

/* The rule number for |pc|, which is within [start, limit). Async-signal-safe. */
static inline unsigned cfi_lookup(const struct cfi_table *table, uintptr_t pc)
{
    uint32_t offset = (uint32_t)(pc - table->start);
    uint32_t page = offset >> CFI_PAGE_SHIFT;
    uint32_t low = table->page[page], high = table->page[page + 1] + 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (table->pc[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return table->rule[low];
}

#endif
