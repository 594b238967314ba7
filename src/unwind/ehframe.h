/*
 * The records of one module's .eh_frame, read from a copy of it. Layouts: Linux Standard Base Core 5.0, 10.6
 * (.eh_frame, .eh_frame_hdr), the same as DWARF 5 section 6.4.1 but for the CIE pointer and the augmentation.
 *
 * Background thread. Nothing here trusts the bytes: a record that does not fit is left out.
 */
#ifndef OTELPROF_UNWIND_EHFRAME_H
#define OTELPROF_UNWIND_EHFRAME_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"
#include "unwind/cursor.h"

/* A private copy of .eh_frame. The library it is from may be unmapped meanwhile. */
struct ehframe_image {
    uint8_t *data;
    size_t size;
    uintptr_t address; /* of the original's first byte; what pc-relative pointers are relative to */
};

/* One FDE: where its code starts, from the module's first executable byte, and where its record is. */
struct ehframe_entry {
    uint32_t start;
    uint32_t record; /* offset in the image */
};

struct ehframe_index {
    struct ehframe_entry *entries;
    size_t count;
    size_t cap;
};

struct ehframe_cie {
    uint32_t record; /* offset in the image, its identity */
    uint8_t encoding;
    uint8_t has_augmentation;
    uint8_t signal_frame;
    uint64_t code_align;
    int64_t data_align;
    struct cursor program; /* the initial instructions */
};

struct ehframe_fde {
    uint32_t cie; /* record of its CIE */
    uintptr_t start;
    uintptr_t limit;
    struct cursor program;
};

/*
 * Copies the .eh_frame that the .eh_frame_hdr of |source| belongs to and lists its FDEs whose code starts
 * within its range, in the order of their addresses. By the header's search table, or one
 * record after the other when it has none or the table leads outside readable memory. 0; -EFAULT (unmapped),
 * -ENOMEM, -EINVAL (no such header). On 0 the caller ends with ehframe_unload.
 */
int ehframe_load(const struct cfi_source *source, struct ehframe_image *image, struct ehframe_index *index);
void ehframe_unload(struct ehframe_image *image, struct ehframe_index *index);

/* Adds an entry; -ENOMEM when it cannot. */
int ehframe_index_add(struct ehframe_index *index, uint32_t start, uint32_t record);

/* Sorts by start; entries with equal starts keep their order. -ENOMEM leaves the index unsorted. */
int ehframe_index_sort(struct ehframe_index *index);

/* Decode the record at offset |record|: 0, or -EINVAL for one that is damaged or that we cannot use. */
int ehframe_cie(const struct ehframe_image *image, uint32_t record, struct ehframe_cie *cie);
int ehframe_fde(const struct ehframe_image *image, uint32_t record, const struct ehframe_cie *cie,
                struct ehframe_fde *fde);

/* The record of the CIE that the FDE at |record| names, or -EINVAL. */
int64_t ehframe_cie_of(const struct ehframe_image *image, uint32_t record);

/* The runtime address of byte |at| of the image. */
static inline uintptr_t ehframe_address(const struct ehframe_image *image, const uint8_t *at)
{
    return image->address + (uintptr_t)(at - image->data);
}

#endif
