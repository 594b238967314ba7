#include "unwind/tables_current.h"

static struct {
    struct unwind_tables *tables;
    uint64_t epoch; /* never 0: that is "outside" */
} current = {0, 1};

const struct unwind_tables *tables_enter(uint64_t *slot)
{
    uint64_t epoch = __atomic_load_n(&current.epoch, __ATOMIC_RELAXED);
    /* Store before load, for all threads to agree on: the one full barrier of a walk. */
    __atomic_exchange_n(slot, epoch, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&current.tables, __ATOMIC_SEQ_CST);
}

void tables_leave(uint64_t *slot)
{
    __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
}

const struct unwind_tables *tables_current(void)
{
    return __atomic_load_n(&current.tables, __ATOMIC_ACQUIRE);
}

struct unwind_tables *tables_swap(struct unwind_tables *next, uint64_t *epoch)
{
    struct unwind_tables *old = __atomic_exchange_n(&current.tables, next, __ATOMIC_SEQ_CST);
    *epoch = __atomic_add_fetch(&current.epoch, 1, __ATOMIC_SEQ_CST);
    return old;
}
