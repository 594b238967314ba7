/*
 * One piece of V8's code as the profiler keeps it. Made on the isolate's thread in the code event
 * (code_events.c), completed and owned by the background thread (code_map.c).
 */
#ifndef OTELPROF_NODE_CODE_H
#define OTELPROF_NODE_CODE_H

#include <stdint.h>

/* Source lines of bytecode: |line| (from 1) holds from |offset| bytes into the code to the next entry. */
struct code_line {
    uint32_t offset;
    uint32_t line;
    uint32_t position; /* in characters from the beginning of the script */
};

/* A call that was inlined into optimized code. */
struct code_call {
    uintptr_t bytecode; /* of the inlined function; 0 once its name is known, or when it has none */
    char *name;         /* as V8 wrote it, |name_len| bytes, owned; NULL: not known */
    uint32_t name_len;
    uint32_t caller;   /* index + 1 of the call that this one was inlined through, 0: the code itself */
    uint32_t position; /* of the call, in the caller's script */
    uint32_t line;     /* the same as a line of the caller, 0 unknown */
    uint32_t window;   /* as in struct code */
    uint32_t function;
};

/* From |offset| bytes into the code to the next entry, |call| (index + 1, 0: the code itself) is being
 * executed. */
struct code_place {
    uint32_t offset;
    uint32_t call;
    uint32_t position;
    uint32_t line; /* in that function, 0 unknown */
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
    struct code_inlining *inlining; /* of optimized code, NULL: not known; owned */
    struct code_line lines[];       /* then the name, as V8 wrote it (symbol/v8name.h), not terminated */
};

static inline const char *code_name(const struct code *code)
{
    return (const char *)&code->lines[code->line_count];
}

/* The source line (from 1) that holds at |offset| bytes into |code|, 0 when V8 told none. */
uint32_t code_line_at(const struct code *code, uintptr_t offset);

/* The source line of |position| in the function whose bytecode is |code|, 0 when it cannot be told. */
uint32_t code_line_of_position(const struct code *code, uint32_t position);

/* What is being executed at |offset| bytes into |code|, NULL without inlining information. */
const struct code_place *code_place_at(const struct code *code, uintptr_t offset);

/* Gives |code| (NULL: nothing) and all it owns back. */
void code_free(struct code *code);

#endif
