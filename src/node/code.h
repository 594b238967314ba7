/*
 * One piece of V8's code as the profiler keeps it. Made on the isolate's thread in the code event
 * (code_events.c), completed and owned by the background thread (code_map.c).
 *
 * Positions are characters from the beginning of a function's script, or SCRIPT_NO_POSITION.
 */
#ifndef OTELPROF_NODE_CODE_H
#define OTELPROF_NODE_CODE_H

#include <stdint.h>

#include "node/script_lines.h"

/* Source positions of bytecode: one holds from |offset| bytes into the code to the next entry. */
struct code_line {
    uint32_t offset;
    uint32_t position;
};

/* A call that was inlined into optimized code. */
struct code_call {
    uintptr_t bytecode; /* of the inlined function; 0: it has none */
    char *name;         /* as V8 wrote it, |name_len| bytes, owned; NULL: not known */
    uint32_t name_len;
    uint32_t caller;   /* index + 1 of the call that this one was inlined through, 0: the code itself */
    uint32_t position; /* of the call, in the caller */
    struct script_lines *script; /* of the inlined function; NULL: not known; owned */
    uint32_t window;             /* as in struct code */
    uint32_t function;
};

/* From |offset| bytes into the code to the next entry, |call| (index + 1, 0: the code itself) is being
 * executed. */
struct code_place {
    uint32_t offset;
    uint32_t call;
    uint32_t position; /* in that function */
};

struct code_inlining {
    uint32_t call_count, place_count;
    struct code_call *calls;
    struct code_place *places;
};

struct code {
    uint32_t length;   /* bytes of code */
    uint32_t type;     /* enum v8_code */
    uint32_t name_len; /* bytes */
    uint32_t line_count;
    uint32_t window;                /* collect/frames.c: the window for which |function| holds */
    uint32_t function;              /* its id in that window's profile */
    struct script_lines *script;    /* NULL: not known; owned */
    struct code_inlining *inlining; /* of optimized and baseline code, NULL: not known; owned */
    struct code_line lines[];       /* then the name, as V8 wrote it (symbol/v8name.h), not terminated */
};

static inline const char *code_name(const struct code *code)
{
    return (const char *)&code->lines[code->line_count];
}

/* The position that holds at |offset| bytes into bytecode. */
uint32_t code_position_at(const struct code *code, uintptr_t offset);

/* What is being executed at |offset| bytes into |code|, NULL without inlining information. */
const struct code_place *code_place_at(const struct code *code, uintptr_t offset);

/* Gives |code| (NULL: nothing) and all it owns back. */
void code_free(struct code *code);

#endif
