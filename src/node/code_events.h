/*
 * V8's code events on their way from the threads that compile to the background thread: a list in order, each
 * with the next number of node_process.sequence, so that a sample can be resolved against the code as it was
 * at that moment.
 */
#ifndef OTELPROF_NODE_CODE_EVENTS_H
#define OTELPROF_NODE_CODE_EVENTS_H

#include <stdint.h>

#include "node/code.h"
#include "node/inlining.h"
#include "node/v8_abi.h"

enum { CODE_FOUND = 1000 }; /* none of V8's: code_events_found */

struct code_event {
    struct code_event *next;
    uint64_t sequence;
    uint32_t type;    /* V8_CODE_ADDED, _MOVED, _REMOVED, or CODE_FOUND */
    uint32_t isolate; /* index into node_process.isolates */
    uintptr_t start;
    uintptr_t new_start;
    struct code *code;       /* of an ADDED event; the taker owns it (code_free) */
    struct found_code found; /* of a FOUND event; the taker owns its inlining */
};

/* V8's callback (Isolate::SetJitCodeEventHandler). Any thread of the application; not async-signal-safe. */
void code_events_receive(struct v8_jit_code_event *event);

/* Queues what was found (inlining_find) in |isolate|, an index, and takes over its inlining. Its thread. */
void code_events_found(uint32_t isolate, const struct found_code *found);

/* Takes the events up to |sequence| off the list, oldest first; the caller frees each with heap_free.
 * Background thread. */
struct code_event *code_events_take(uint64_t sequence);

/* True if an event that is not taken yet puts code of |isolate| to |start|. */
int code_events_awaits(uint32_t isolate, uintptr_t start);

/* Events that were lost because memory was short or the list too long. */
uint64_t code_events_dropped(void);

/* In a forked child, single-threaded: forgets the events. */
void code_events_after_fork(void);

#endif
