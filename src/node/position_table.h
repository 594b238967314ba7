/*
 * V8's source position tables (deps/v8/src/codegen/source-position-table.cc: the pcs are written in two ways,
 * all else is the same from V8 9 to 14). Pure function of its input: any thread, async-signal-safe.
 */
#ifndef OTELPROF_NODE_POSITION_TABLE_H
#define OTELPROF_NODE_POSITION_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "node/inlining.h"
#include "node/v8_layout.h"

/* A v8::internal::SourcePosition (64 bits) taken apart. */
struct v8_position {
    int external;      /* a place in V8's own Torque code: the rest means nothing */
    uint32_t offset;   /* characters, or SCRIPT_NO_POSITION */
    uint32_t function; /* inlining id + 1; 0: not inlined */
};

struct v8_position v8_position_of(uint64_t word);

/* Takes the unsigned variable-length integer at |*at|, which is moved behind it: 0 or -EINVAL. */
int position_table_take(const uint8_t **at, const uint8_t *end, uint64_t *value);

/*
 * Decodes the |size| bytes at |table|, whose pcs are written by |encoding|, of code of |code_len| bytes with
 * |function_count| inlined functions, into |positions| (room for |limit|). The number of entries, fewer than
 * V8's: of several at one address the last holds, and one that says the same as the entry before it is left
 * out, as is the function's entry, which bytecode has. -EINVAL: not such a table, or more than |limit|.
 */
int position_table_decode(enum v8_position_encoding encoding, const uint8_t *table, size_t size,
                          size_t code_len, uint32_t function_count, struct inlined_position *positions,
                          uint32_t limit);

#endif
