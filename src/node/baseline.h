/*
 * The lines of baseline (Sparkplug) code, which V8 tells nothing about: its Code object has the length of the
 * machine code of each bytecode (deps/v8/src/baseline/bytecode-offset-iterator.h), its function's
 * BytecodeArray has the source position of the bytecodes.
 */
#ifndef OTELPROF_NODE_BASELINE_H
#define OTELPROF_NODE_BASELINE_H

#include "node/code.h"
#include "node/v8_abi.h"

/*
 * Once, before any decoding, for the V8 called |version| ("11.3.244.8-node.38"); |lookup| is dlsym on the
 * global scope. 0, or -ENOTSUP when this V8 is not known: baseline_decode always gives NULL then.
 */
int baseline_prepare(const char *version, void *(*lookup)(const char *));

/*
 * The places in the code that |event| tells of, without calls. NULL: not baseline code, memory is short, or
 * what was read does not fit together: the lengths of machine code with the code's, of bytecodes with the
 * bytecode's, and each source position with the beginning of a bytecode. When that was so several times, no
 * code is decoded any more. Inside the code event, on the isolate's thread. No read faults.
 */
struct code_inlining *baseline_decode(const struct v8_jit_code_event *event);

#endif
