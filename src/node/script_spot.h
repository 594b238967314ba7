/* Line and column of a position in a script, by V8's own conversion. On the isolate's thread only. */
#ifndef OTELPROF_NODE_SCRIPT_SPOT_H
#define OTELPROF_NODE_SCRIPT_SPOT_H

#include "node/code.h"

/* Once, when V8's functions are found; |lookup| is dlsym on the global scope. */
void script_spot_prepare(void *(*lookup)(const char *));

/*
 * The place of |position| (characters from the script's beginning) in |script|, the UnboundScript of a code
 * event (NULL: unknown). |near| may be NULL, or name a position converted before: on its line the column
 * follows by subtraction, which saves V8 the search.
 */
struct code_spot script_spot(void *script, uint32_t position, const struct code_line *near);

/*
 * The column, from 1, at which the function of |script|, the UnboundScript of its code event, begins: where
 * V8 does not write it into the function's name (until Node 18), else 0.
 */
uint32_t script_function_column(void *script);

#endif
