/*
 * Optimized code on the stack at the moment of attaching. V8 replaces a loop's code while it runs (OSR) and
 * keeps such code with no function object, so it does not tell of it afterwards. The background thread finds
 * it, too (code_map_search), but only as long as the isolate lives: too late for workers that end soon.
 */
#ifndef OTELPROF_NODE_CODE_STACK_H
#define OTELPROF_NODE_CODE_STACK_H

#include "node/isolate.h"

/*
 * Queues a code event for each, from the frame at |frame| (__builtin_frame_address) on. On the isolate's
 * thread, in the interrupt, after V8 has told of its code.
 */
void code_stack_tell(const struct node_isolate *isolate, uintptr_t frame);

#endif
