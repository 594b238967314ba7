/*
 * Where the lines of a script end, as V8 keeps it (Script.line_ends): turns positions, characters from the
 * script's beginning, into lines and columns at any time and on any thread, also after the script is gone.
 * One table a script, shared by the code of its functions.
 */
#ifndef OTELPROF_NODE_SCRIPT_LINES_H
#define OTELPROF_NODE_SCRIPT_LINES_H

#include <stdint.h>

#define SCRIPT_NO_POSITION UINT32_MAX

/* A place in a script, from 1, 0: unknown. */
struct code_spot {
    uint32_t line, column;
};

struct script_lines;

/* Once, when V8's functions are found (node_process.v8): learns from V8's constants for debuggers
 * (tools/gen-postmortem-metadata.py) where it keeps lines; |lookup| is dlsym on the global scope. */
void script_lines_prepare(void *(*lookup)(const char *));

/*
 * The table of the script that |script|, the UnboundScript of a code event (NULL: none), is a function of;
 * |isolate| is its isolate's index. The caller owns a reference. NULL: V8 keeps lines in another way than it
 * says, the function is being debugged (until Node 20), or memory is short. In the code event, on the
 * isolate's thread. Not in handlers.
 */
struct script_lines *script_lines_get(uint32_t isolate, void *script);

/* One reference more to |lines| (NULL: none), which it returns; one less, the last of which frees it. */
struct script_lines *script_lines_share(struct script_lines *lines);
void script_lines_release(struct script_lines *lines);

/* The place of |position|; unknown without |lines|, for SCRIPT_NO_POSITION, and behind the script's end. */
struct code_spot script_lines_spot(const struct script_lines *lines, uint32_t position);

/* In a forked child, single-threaded: forgets the tables. */
void script_lines_after_fork(void);

#endif
