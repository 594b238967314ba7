/*
 * V8's code events on their way from the threads that compile to the background thread: a list in order, each
 * with the next number of node_process.sequence, so that a sample can be resolved against the code as it was
 * at that moment.
 */
#ifndef OTELPROF_NODE_CODE_EVENTS_H
#define OTELPROF_NODE_CODE_EVENTS_H

#include <stdint.h>

#include "node/v8_abi.h"

/* Source lines of bytecode: |line| (from 1) holds from |offset| bytes into the code to the next entry. */
struct code_line {
    uint32_t offset;
    uint32_t line;
};

/* One piece of code: bytecode, machine code or a builtin. */
struct code {
    uint32_t length;   /* bytes of code */
    uint32_t type;     /* enum v8_code */
    uint32_t name_len; /* bytes */
    uint32_t line_count;
    uint32_t window;          /* collect/frames.c: the window for which |function| holds */
    uint32_t function;        /* its id in that window's profile */
    struct code_line lines[]; /* then the name, as V8 wrote it (symbol/v8name.h), not terminated */
};

static inline const char *code_name(const struct code *code)
{
    return (const char *)&code->lines[code->line_count];
}

struct code_event {
    struct code_event *next;
    uint64_t sequence;
    uint32_t type;    /* V8_CODE_ADDED, _MOVED, _REMOVED */
    uint32_t isolate; /* index into node_process.isolates */
    uintptr_t start;
    uintptr_t new_start;
    struct code *code; /* of an ADDED event; the taker owns it (heap_free) */
};

/* V8's callback (Isolate::SetJitCodeEventHandler). Any thread of the application; not async-signal-safe. */
void code_events_receive(struct v8_jit_code_event *event);

/* Takes the events up to |sequence| off the list, oldest first; the caller frees each with heap_free.
 * Background thread. */
struct code_event *code_events_take(uint64_t sequence);

/* Events that were lost because memory was short or the list too long. */
uint64_t code_events_dropped(void);

/* In a forked child, single-threaded: forgets the events. */
void code_events_after_fork(void);

#endif
