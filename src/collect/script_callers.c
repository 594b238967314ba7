#include "collect/script_callers.h"

#include <string.h>

#include "collect/script_frames.h"
#include "node/frame_setup.h"
#include "symbol/v8name.h"
#include "unwind/walk.h"

enum { BYTECODE_HEADER_MAX = 64 /* from a BytecodeArray to its first bytecode, V8 9 to 14 */ };

/* True if both are code of one function: V8's texts differ in their marks. */
static int is_same_function(const struct code *a, const struct code *b)
{
    struct v8_name x, y;
    v8name_parse(code_name(a), a->name_len, &x);
    v8name_parse(code_name(b), b->name_len, &y);
    return x.line == y.line && x.column == y.column && x.function_len == y.function_len &&
           x.url_len == y.url_len && !memcmp(x.function, y.function, x.function_len) &&
           !memcmp(x.url, y.url, x.url_len);
}

/* The bytecode that |record|'s innermost frame is executing, if the interpreter runs the function with
 * |bytecode| in it. */
static struct code *interpreted(struct frames *frames, const struct sample_record *record, int isolate,
                                const struct code *bytecode, uintptr_t *start)
{
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, record_position(record, 0), start);
    return code && code->type == V8_BYTE_CODE && is_same_function(code, bytecode) ? code : NULL;
}

/* Where |address| returns to, if that is in the function with |bytecode|, else 0. */
static uint32_t return_location(struct frames *frames, struct profile *profile,
                                const struct sample_record *record, int isolate, const struct code *bytecode,
                                uintptr_t address)
{
    uintptr_t start;
    struct code *code =
        address ? code_map_find(frames->code_map, (uint32_t)isolate, address - 1, &start) : NULL;
    if (!code) return 0;
    if (script_is_interpreter(code)) {
        code = interpreted(frames, record, isolate, bytecode, &start);
        return code ? script_code_location(frames, profile, code, start, record_position(record, 0)) : 0;
    }
    return is_same_function(code, bytecode) ? script_code_location(frames, profile, code, start, address - 1)
                                            : 0;
}

/* True if the frame that belongs to the function with |bytecode| is not that of the code at |pc|. */
static int has_no_frame(struct frames *frames, const struct sample_record *record, int isolate,
                        const struct code *bytecode, const struct code *code, uintptr_t start, uintptr_t pc)
{
    uintptr_t original = modules_original(&frames->modules, pc);
    if (!code) return script_is_builtin(original ? original : pc);
    if (script_is_interpreter(code)) return !interpreted(frames, record, isolate, bytecode, &start);
    if (script_is_function(code)) return !is_same_function(code, bytecode) || !frame_setup_is_done(start, pc);
    return script_name_begins(code, "Builtin:");
}

/* The location of the function with |bytecode| at |bytecode_start|, if the innermost frame itself says that
 * it is its, else 0: which function a JSFunction is may have changed since the sample was taken. */
static uint32_t owner_location(struct frames *frames, struct profile *profile,
                               const struct sample_record *record, int isolate, struct code *bytecode,
                               uintptr_t bytecode_start)
{
    uintptr_t start, position = record_position(record, 0);
    struct code *code = interpreted(frames, record, isolate, bytecode, &start);
    if (code) return script_code_location(frames, profile, code, start, position);
    if (bytecode_start - position > BYTECODE_HEADER_MAX) return 0;
    return script_code_location(frames, profile, bytecode, bytecode_start, bytecode_start);
}

/* The location of the function that |record|'s leaf, a builtin, returns to, 0: to none. */
static uint32_t entered_location(struct frames *frames, struct profile *profile,
                                 const struct sample_record *record, int isolate)
{
    uintptr_t start, pc = record->top[0] - 1;
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    return code && script_is_function(code) ? script_code_location(frames, profile, code, start, pc) : 0;
}

unsigned script_append_callers(struct frames *frames, struct profile *profile,
                               const struct sample_record *record, int isolate, uint32_t *locations,
                               unsigned n)
{
    uintptr_t owner_start, start, pc = record->words[0] & ~UNWIND_PC_EXACT;
    if (!frames->code_map || isolate < 0) return n;
    /* Bytecode is old, while a closure may have moved or died since. */
    struct code *owner =
        code_map_of_position(frames->code_map, (uint32_t)isolate, record_position(record, 0), &owner_start);
    if (!owner)
        owner = code_map_of_function(frames->code_map, (uint32_t)isolate, record_function(record, 0),
                                     &owner_start);
    struct code *leaf = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    if (!owner || !has_no_frame(frames, record, isolate, owner, leaf, start, pc)) return n;
    uint32_t caller = return_location(frames, profile, record, isolate, owner, record->top[0]);
    if (caller) {
        locations[n++] = caller;
        return n;
    }
    int in_builtin = !leaf || !script_is_function(leaf);
    uint32_t entered = in_builtin ? entered_location(frames, profile, record, isolate) : 0;
    if (entered) locations[n++] = entered;
    caller = return_location(frames, profile, record, isolate, owner, record->top[1]);
    if (!caller && in_builtin && !entered)
        caller = owner_location(frames, profile, record, isolate, owner, owner_start);
    if (caller) locations[n++] = caller;
    return n;
}
