/*
 * The V8 isolates of this process: the main one and one a worker thread. An isolate is found by a tick in its
 * own code, attached by an interrupt on its own thread, and closed by Node's clean-up hook.
 *
 * FREE -> CLAIMED (a handler fills it in) -> SEEN -> REQUESTED (interrupt on its way) -> ATTACHED -> CLOSED
 * (by the hook) -> LAST_DRAIN -> FREE (both by the background thread, around the drain of the samples that
 * name it). A request that comes too early (Node has no Environment yet) goes back to SEEN. What is SEEN or
 * REQUESTED when its thread ends becomes FREE with it.
 */
#ifndef OTELPROF_NODE_ISOLATE_H
#define OTELPROF_NODE_ISOLATE_H

#include <stdint.h>

#include "node/v8_abi.h"
#include "sample/registry.h"
#include "sys/regs.h"
#include "unwind/tables.h"

enum { NODE_MAX_ISOLATES = 256 };

enum node_isolate_state {
    ISOLATE_FREE,
    ISOLATE_CLAIMED,
    ISOLATE_SEEN,
    ISOLATE_REQUESTED,
    ISOLATE_ATTACHED,
    ISOLATE_CLOSED,
    ISOLATE_LAST_DRAIN
};

struct node_isolate {
    uint32_t state; /* enum node_isolate_state */
    uint32_t index;
    v8_isolate *isolate;
    uint32_t thread_index; /* its thread's slot */
    uint32_t thread_generation;
    uint32_t ticks;       /* while a request is on its way */
    uint64_t attached_at; /* node_process.sequence when V8 had told of all existing code */
    uintptr_t code_range; /* since then: where V8 puts its code */
    size_t code_range_len;
};

struct node_process {
    int enabled;          /* V8's functions were found and may be used */
    int closing;          /* exit has begun: nothing of V8 is called any more */
    uint64_t sequence;    /* of code events; a sample carries the value it was taken at */
    uintptr_t blob_start; /* V8's embedded builtins, inside the binary's text; 0: not known yet */
    uintptr_t blob_limit;
    uint32_t attached_ever; /* isolates attached since the start */
    uint32_t contact_ticks;
    uint32_t worker_ticks; /* of a worker thread before it is met: V8 takes 8 to 30 ms to tell of its code */
    int contact_timer;     /* node_contact_tick's, -1: none */
    struct v8_functions v8;
    void (*attach)(v8_isolate *, void *); /* the interrupt: node/attach.c */
    void (*drain)(void); /* waits, for a moment, until the samples taken so far are resolved */
    struct node_isolate isolates[NODE_MAX_ISOLATES];
};

extern struct node_process node_process;

/* The isolate a tick on |thread| belongs to, or NULL. Async-signal-safe (node/tick.c), as are those below. */
struct node_isolate *node_isolate_of(const struct thread *thread);

/* The isolate that a tick on |thread| has met, also when it is closed by now, or NULL. */
struct node_isolate *node_isolate_met(const struct thread *thread);

/*
 * One tick on |thread|, whose interrupted stack is in thread->memo: makes first contact, or asks for the
 * interrupt that attaches. Calls V8's TryGetCurrent, GetCodeRange and RequestInterrupt, and only when the
 * stack proves that this is safe: from the interrupted function to V8's code there is nothing but functions
 * of the binary that V8 is in, so the isolate is running and the thread holds no lock of malloc.
 */
void node_tick(struct thread *thread, const struct unwind_tables *tables);

/*
 * True if a tick of the contact timer is to call node_tick: such ticks take no sample but make contact early,
 * because code that V8 replaces on the stack (OSR) before we attach is never told again, and the first loops
 * of a program would go by other means. Ends the timer after contact, or when the program has run for long
 * without JavaScript.
 */
int node_contact_due(void);

/*
 * V8's own stack of |thread| into thread->js_frames: the number of frames, 0 when V8 refuses (garbage
 * collection, prologues). For stacks that the native walk could not finish.
 */
unsigned node_stack_sample(struct thread *thread, const struct regs *regs);

/* True if |pc| is V8's code: in the embedded builtins, or in no module at all. */
int node_is_v8_code(uintptr_t pc, const struct unwind_tables *tables);

#endif
