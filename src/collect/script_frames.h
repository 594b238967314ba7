/*
 * From the addresses of V8's code to locations of a profile. Background thread.
 *
 * |isolate| is the index of the isolate whose code it may be, -1: none.
 */
#ifndef OTELPROF_COLLECT_SCRIPT_FRAMES_H
#define OTELPROF_COLLECT_SCRIPT_FRAMES_H

#include <stdint.h>

#include "collect/frames.h"

/* What a frame may know of itself besides its pc: see sample/record.h. */
struct script_frame {
    uint64_t position, function;
    uint32_t unloads;
};

/* True if |pc| is in V8's embedded builtins. */
int script_is_builtin(uintptr_t pc);

/* True if V8's name of |code| begins with |prefix|. */
int script_name_begins(const struct code *code, const char *prefix);

/* True for the two builtins in which an interpreted function's frame stands. */
int script_is_interpreter(const struct code *code);

/* True for the machine code of a JavaScript function. */
int script_is_function(const struct code *code);

/* The function that V8 calls |text|, in the profile's words; prefixed forms keep their prefix, as perf shows
 * them. */
uint32_t script_function(struct frames *frames, struct profile *profile, const char *text, size_t len);

/* The location of |address| in |code|, which begins at |start|, with what was inlined there. */
uint32_t script_code_location(struct frames *frames, struct profile *profile, struct code *code,
                              uintptr_t start, uintptr_t address);

/* The location of V8 code at |pc|, 0: not V8's, or not told. */
uint32_t script_location(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                         struct script_frame frame);

/* The location of a frame whose code V8 never told, made before we attached: V8's memory tells, or the frame
 * still says which function it runs. 0: neither. */
uint32_t script_untold_location(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                                struct script_frame frame);

/*
 * A frame that deoptimization made goes on in the interpreter, or in baseline code, when it is returned to:
 * its return address |pc| is the first instruction of a builtin that sees to that
 * (InterpreterEnterAtBytecode), and where it stands is told as in the interpreter's own frames. 0: |pc| is no
 * such frame's.
 */
uint32_t script_deoptimized_location(struct frames *frames, struct profile *profile, int isolate,
                                     uintptr_t pc, struct script_frame frame);

#endif
