/*
 * How long V8's bytecodes are (deps/v8/src/interpreter/bytecodes.h): what is needed to walk from one to the
 * next. Pure functions of their input: any thread, async-signal-safe.
 */
#ifndef OTELPROF_NODE_BYTECODE_SIZES_H
#define OTELPROF_NODE_BYTECODE_SIZES_H

#include <stddef.h>
#include <stdint.h>

struct bytecode_sizes {
    const uint8_t *operands; /* by bytecode; see bytecode_sizes.c */
    size_t count;
};

/* The sizes in the V8 called |version| ("11.3.244.8-node.38"), NULL: not known. */
const struct bytecode_sizes *bytecode_sizes_of(const char *version);

/*
 * Bytes of the bytecode at |at|, with its operands and the prefix that may stand before it; 0: none that fits
 * into the |left| bytes there.
 */
size_t bytecode_size(const struct bytecode_sizes *sizes, const uint8_t *at, size_t left);

#endif
