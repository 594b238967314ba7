/* Which part of its file a module's segment comes from. Background thread. */
#ifndef OTELPROF_SYMBOL_SEGMENT_H
#define OTELPROF_SYMBOL_SEGMENT_H

#include "symbol/module.h"

struct segment {
    uintptr_t start, limit; /* runtime addresses that are backed by the file */
    uint64_t offset;        /* of |start| in it */
};

/*
 * The segment of |module| that holds |address|, by the program headers in memory: 0, -ENOENT, or the error of
 * the read.
 */
int segment_of(const struct module *module, uintptr_t address, struct segment *segment);

#endif
