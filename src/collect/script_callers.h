/* The JavaScript that a walk by frame pointers passes over at its leaf. Background thread. */
#ifndef OTELPROF_COLLECT_SCRIPT_CALLERS_H
#define OTELPROF_COLLECT_SCRIPT_CALLERS_H

#include <stdint.h>

#include "collect/frames.h"

/*
 * Appends to |locations| the JavaScript that the walk passed over, because the frame pointer was still, or
 * again, its own: the caller of a function that is entered or left, and of a builtin without a frame, which
 * most of those are that JavaScript calls for its operations (Add_Baseline). The bytecode or the
 * JSFunction in its frame says who it is, and the return address at the top of the stack where it is; where
 * a builtin has put something else there, its first line stands in. Baseline code has its frame made by a
 * builtin: then there are two, the function that is entered and its caller.
 *
 * |locations| holds |n| and has room for two more; returns how many it holds then.
 */
unsigned script_append_callers(struct frames *frames, struct profile *profile,
                               const struct sample_record *record, int isolate, uint32_t *locations,
                               unsigned n);

#endif
