/* Line and column of a position in a script, by V8's own conversion. On the isolate's thread only. */
#ifndef OTELPROF_NODE_SCRIPT_SPOT_H
#define OTELPROF_NODE_SCRIPT_SPOT_H

#include "node/code.h"

/*
 * The place of |position| (characters from the script's beginning) in |script|, the UnboundScript of a code
 * event (NULL: unknown). |near| may be NULL, or name a position converted before: on its line the column
 * follows by subtraction, which saves V8 the search. Columns are unknown before Node 20.
 */
struct code_spot script_spot(void *script, uint32_t position, const struct code_line *near);

#endif
