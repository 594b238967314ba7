/*
 * A finished window in the words that users of Node's own profiler know: (program) under native code that no
 * JavaScript called, (idle) for the event loop's waiting, (garbage collector) between the JavaScript that
 * allocated and V8's native collector, and threads by what they do. Background thread.
 */
#ifndef OTELPROF_COLLECT_NODE_VIEW_H
#define OTELPROF_COLLECT_NODE_VIEW_H

#include "collect/frames.h"
#include "collect/window.h"

#define NODE_VIEW_PROGRAM "(program)"
#define NODE_VIEW_IDLE "(idle)"
#define NODE_VIEW_COLLECTOR "(garbage collector)"

/* True if the native function |name| (demangled) is where a garbage collection, or a part of one, begins. */
int node_view_is_collection(const char *name);

/* To be called once all native locations of the window have names, before the profile is sealed. */
void node_view_finish(struct window *window, struct frames *frames);

#endif
