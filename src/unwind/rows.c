#include "unwind/rows.h"

#include <string.h>

#include "sys/heap.h"

static uint16_t number_of(struct cfi_rows *rows, const struct unwind_rule *rule)
{
    if (memcmp(&rows->last, rule, sizeof *rule) == 0) return rows->last_number;
    rows->last = *rule;
    rows->last_number = rule_intern(rule);
    return rows->last_number;
}

void rows_add(struct cfi_rows *rows, uint32_t pc, const struct unwind_rule *rule)
{
    uint16_t number = number_of(rows, rule);
    size_t n = rows->count;
    while (n && rows->pc[n - 1] >= pc) n--;
    rows->count = n;
    if (n && rows->rule[n - 1] == number) return;
    if (heap_grow(&rows->pc, &rows->pc_cap, n + 1, sizeof *rows->pc) ||
        heap_grow(&rows->rule, &rows->rule_cap, n + 1, sizeof *rows->rule)) {
        rows->failed = 1;
        return;
    }
    rows->pc[n] = pc;
    rows->rule[n] = number;
    rows->count = n + 1;
}

void rows_free(struct cfi_rows *rows)
{
    heap_free(rows->pc);
    heap_free(rows->rule);
    memset(rows, 0, sizeof *rows);
}
