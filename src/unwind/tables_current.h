/* Which snapshot of the unwind tables is current. All of it async-signal-safe: one or two atomics each. */
#ifndef OTELPROF_UNWIND_TABLES_CURRENT_H
#define OTELPROF_UNWIND_TABLES_CURRENT_H

#include <stdint.h>

struct unwind_tables;

/*
 * Marks the calling thread as inside by |slot|, its own word (0 outside), and returns the current snapshot,
 * which stays valid until tables_leave; NULL before the first one. Does not nest on one slot: a signal
 * handler that calls this blocks the signals of others that do.
 */
const struct unwind_tables *tables_enter(uint64_t *slot);

void tables_leave(uint64_t *slot);

/* The current snapshot for the background thread, which alone frees any: no slot needed. */
const struct unwind_tables *tables_current(void);

/* For tables_publish: makes |next| current; the old one, and in |*epoch| the one from which on no thread can
 * enter with it. */
struct unwind_tables *tables_swap(struct unwind_tables *next, uint64_t *epoch);

#endif
