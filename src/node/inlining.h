/*
 * What TurboFan and Maglev have inlined into a piece of machine code: without it the time of an inlined
 * function is its caller's.
 *
 * V8 tells of optimized code (V8_CODE_ADDED, V8_JIT_CODE, a name with the mark * or +) on the isolate's
 * thread; at that moment its Code object can be read: the tree of inlined calls (InliningPosition,
 * deps/v8/src/codegen/source-position.h) and the source position table
 * (deps/v8/src/codegen/source-position-table.cc). After
 * v8::CpuProfiler::UseDetailedSourcePositionsForProfiling the table has the position of every instruction,
 * else of calls only.
 */
#ifndef OTELPROF_NODE_INLINING_H
#define OTELPROF_NODE_INLINING_H

#include <stddef.h>
#include <stdint.h>

#include "node/script_lines.h"

enum { INLINING_LIMIT = 10000 /* functions, and positions, of one piece of code */ };

/* One inlined call; the same function has one for each place that it was inlined at. */
struct inlined_function {
    uintptr_t bytecode; /* its first bytecode: code_start of its own code event, or where that has moved to;
                           0: it has no bytecode now (flushed), or is a WebAssembly function */
    uint32_t caller; /* index + 1 of the inlined function that it was inlined into, always an earlier one; 0:
                        the optimized function itself */
    uint32_t call_position; /* of the call, in characters from the beginning of the caller's script, or
                               SCRIPT_NO_POSITION */
};

/* The machine code from |pc_offset| to the next entry's. */
struct inlined_position {
    uint32_t pc_offset; /* bytes from code_start; ascending, no two are equal. A return address belongs to the
                           entry that holds one byte before it; what is before the first entry is the
                           optimized function's */
    uint32_t function;  /* index + 1 into functions; 0: the optimized function itself */
    uint32_t position;  /* in characters from the beginning of that function's script, or
                           SCRIPT_NO_POSITION */
};

struct inlining {
    uint32_t function_count, position_count;
    struct inlined_function *functions;
    struct inlined_position *positions;
};

/*
 * Once, before any decoding: picks the layout for the V8 called |version| ("11.3.244.8-node.38"); |lookup| is
 * dlsym on the global scope. 0, or -ENOTSUP when this V8 is not known: inlining_decode always says so then.
 */
int inlining_prepare(const char *version, void *(*lookup)(const char *));

/*
 * Decodes the optimized code at |code_start| with |code_len| bytes into |out|, whose arrays are then the
 * caller's (inlining_free). Inside the code event of that code, on the isolate's thread. |is_sure|: it is
 * code in V8's heap, not WebAssembly's or anything else: no system call is made then, once the layout is
 * proven. No read faults.
 *
 * 0, also when nothing was inlined; -ENOTSUP; -ENOMEM; -EINVAL when what is there is not what it should be:
 * not optimized code, a Code object that contradicts the event, a damaged table, or more than INLINING_LIMIT.
 * On an error |out| is empty.
 */
int inlining_decode(uintptr_t code_start, size_t code_len, int is_sure, struct inlining *out);

/* Optimized code that was found by a pc in it. */
struct found_code {
    uintptr_t start;
    size_t length;      /* bytes */
    uintptr_t bytecode; /* of the optimized function, as in struct inlined_function; never 0 */
    char mark;          /* '*' TurboFan's, '+' Maglev's, as V8 has it in names */
    struct inlining inlining;
};

/*
 * Finds and decodes the optimized code around |pc|, not before |floor|, that V8 has told nothing of; its
 * inlining is then the caller's (inlining_free). Any thread, also while V8 runs and collects: each read may
 * find something else than the one before, none faults, and what is no longer there is an error. A system
 * call a word. Errors as above; -ENOENT: there is no code, or its function has no bytecode.
 */
int inlining_find(uintptr_t pc, uintptr_t floor, struct found_code *found);

void inlining_free(struct inlining *inlining);

#endif
