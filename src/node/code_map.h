/*
 * Which code lies where, per isolate, as of a moment. Background thread only: it applies V8's code events in
 * the order of their numbers and looks samples up between them.
 */
#ifndef OTELPROF_NODE_CODE_MAP_H
#define OTELPROF_NODE_CODE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "node/code_events.h"
#include "node/isolate.h"
#include "symbol/rangemap.h"

enum { KNOWN_FUNCTIONS = 256 };

/* Where the bytecode of a JSFunction was when it could last be read. */
struct known_function {
    uintptr_t function, bytecode;
    uint32_t isolate;
};

struct code_map {
    struct rangemap of_isolate[NODE_MAX_ISOLATES];
    struct rangemap
        left[NODE_MAX_ISOLATES]; /* where code was before its collection: the address it has now */
    struct known_function known[KNOWN_FUNCTIONS]; /* by a hash of the address */
    size_t pruned_count;                          /* pieces left by the last code_map_prune */
};

struct code_map *code_map_create(void);
void code_map_destroy(struct code_map *map);

/* Applies every event up to |sequence| (UINT64_MAX: all there are). */
void code_map_advance(struct code_map *map, uint64_t sequence);

/*
 * The code of |isolate| (an index) that contains |pc|, with its address in |*start|, or NULL. Valid until the
 * next advance. V8 tells that code has moved before it corrects the stacks, so that those of the same
 * collection still lead to where it was: |*start| is there then. Code is where it was no longer as soon as V8
 * tells of new code.
 */
struct code *code_map_find(const struct code_map *map, uint32_t isolate, uintptr_t pc, uintptr_t *start);

/* Puts |found| into the map of |isolate|, unless the bytecode of its function is not known: then NULL. Leaves
 * its inlining to the caller. */
struct code *code_map_adopt(struct code_map *map, uint32_t isolate, const struct found_code *found);

/*
 * The optimized code of |isolate| at |pc|, in which the map has none; from now on the map has it. For code
 * that was there before we attached: V8 tells of it only where it finds a function object that has it, and a
 * closure that is made anew for each call may have none at that moment. Found in V8's own memory by reads
 * that cannot fault, and believed only if its function's bytecode is known and no event about that address
 * waits. NULL: nothing.
 */
struct code *code_map_search(struct code_map *map, uint32_t isolate, uintptr_t pc, uintptr_t *start);

/*
 * The bytecode of the JSFunction at |function| (a tagged pointer out of a stack frame), with its address in
 * |*start|, or NULL. Follows JSFunction -> SharedFunctionInfo -> function data -> BytecodeArray by reads that
 * cannot fault, at the few offsets where V8 9 to 14 has these fields, and believes only a chain that ends at
 * bytecode which V8 has told of: whatever has moved or died since the sample was taken gives NULL, not
 * another function. Of an isolate whose heap is gone, what was read last counts.
 */
struct code *code_map_of_function(struct code_map *map, uint32_t isolate, uintptr_t function,
                                  uintptr_t *start);

/*
 * The bytecode that the frame with |position| (sample/record.h) of interpreted or baseline code runs, with
 * its address in |*start|: |position| is in it, or is its BytecodeArray. NULL: another kind of frame.
 */
struct code *code_map_of_position(const struct code_map *map, uint32_t isolate, uintptr_t position,
                                  uintptr_t *start);

/*
 * Forgets code whose memory is no longer mapped: V8 does not tell when it collects bytecode, but gives the
 * pages back (node/code_prune.c). Reads /proc/self/maps, and only if the map is large, and |is_due| or it has
 * grown by much since the last time.
 */
void code_map_prune(struct code_map *map, int is_due);

/* Forgets what belongs to |isolate|. */
void code_map_drop_isolate(struct code_map *map, uint32_t isolate);

/* Pieces of code known now. */
size_t code_map_count(const struct code_map *map);

#endif
