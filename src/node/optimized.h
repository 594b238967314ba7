/* Inlining information on its way into struct code. */
#ifndef OTELPROF_NODE_OPTIMIZED_H
#define OTELPROF_NODE_OPTIMIZED_H

#include "node/code.h"
#include "node/inlining.h"
#include "node/v8_abi.h"

struct code_map;

/*
 * What |event|, which tells of optimized code, has inlined. NULL when V8 cannot be decoded, nothing is
 * inlined and no position is known, or memory is short. Isolate's thread.
 */
struct code_inlining *optimized_decode(const struct v8_jit_code_event *event);

/* The same of code that was found (inlining_find) and not told. Any thread. */
struct code_inlining *optimized_convert(const struct inlining *in);

/*
 * Gives the functions that were inlined into |code| their names and lines, by the bytecode that |map| holds
 * now for |isolate|: as of the moment of the code's own event. What was not known may be asked again.
 * Background thread.
 */
void optimized_complete(struct code *code, const struct code_map *map, uint32_t isolate);

#endif
