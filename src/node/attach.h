/* Attaching to an isolate on its own thread, and letting it go. */
#ifndef OTELPROF_NODE_ATTACH_H
#define OTELPROF_NODE_ATTACH_H

/*
 * Prepares the V8 part: finds V8's functions by |lookup| (dlsym on the global scope) and enables node_tick.
 * Call once, from the constructor, before the first tick. 0, -ENOENT when there is no usable V8 (the reason
 * is logged when the program is Node), -ECANCELED in a process that writes a snapshot, which must not see our
 * code events: V8 aborts when it serialises the handles that they hold (node --build-snapshot, --build-sea).
 */
int node_attach_prepare(void *(*lookup)(const char *), int is_node);

/* exit() has begun: from here on nothing of V8 is called. Any thread. */
void node_attach_close(void);

#endif
