/*
 * The rows of a table while it is built: "from this offset on, this rule". Background thread.
 */
#ifndef OTELPROF_UNWIND_ROWS_H
#define OTELPROF_UNWIND_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"

struct cfi_rows {
    uint32_t *pc;   /* offsets from the module's first executable byte, strictly ascending */
    uint16_t *rule; /* numbers from rule_intern; two neighbours differ */
    size_t count;
    size_t pc_cap;
    size_t rule_cap;
    int failed;              /* out of memory: rows are missing */
    struct unwind_rule last; /* what was interned last, and its number: half of all rows repeat it */
    uint16_t last_number;
};

/* From |pc| on, |rule|; rows at |pc| and behind it, of overlapping functions, are taken back. */
void rows_add(struct cfi_rows *rows, uint32_t pc, const struct unwind_rule *rule);

void rows_free(struct cfi_rows *rows);

#endif
