#include "collect/script_frames.h"

#include <string.h>

#include "node/isolate.h"
#include "symbol/v8name.h"

enum { MAX_INLINED = 64, PATH_BYTES = 4096 };

int script_is_builtin(uintptr_t pc)
{
    uintptr_t start = __atomic_load_n(&node_process.blob_start, __ATOMIC_ACQUIRE);
    return start && pc >= start && pc < node_process.blob_limit;
}

uint32_t script_function(struct frames *frames, struct profile *profile, const char *text, size_t len)
{
    struct v8_name name;
    char path[PATH_BYTES];
    v8name_parse(text, len, &name);
    if (name.kind == V8_BUILTIN || name.kind == V8_BYTECODE_HANDLER || name.kind == V8_STUB ||
        name.kind == V8_OTHER)
        return frames_function_of_no_file(profile, text, len);
    if (name.kind == V8_REGEXP) {
        char pattern[256] = "RegExp:";
        size_t n = name.function_len < sizeof pattern - 7 ? name.function_len : sizeof pattern - 7;
        memcpy(pattern + 7, name.function, n);
        return frames_function_of_no_file(profile, pattern, n + 7);
    }
    size_t path_len = script_path(&frames->paths, name.url, name.url_len, path, sizeof path);
    return frames_function(profile, name.function, name.function_len, path, path_len, name.line, name.column);
}

/* The start line stands in where V8 told no line: it is the function's, and never another's. */
static struct profile_line line_in(struct profile *profile, uint32_t function,
                                   const struct script_lines *script, uint32_t position)
{
    const struct profile_function *f = &profile->functions.items[function];
    struct code_spot spot = script_lines_spot(script, position);
    if (!spot.line) return (struct profile_line){function, f->start_line, f->start_column};
    return (struct profile_line){function, spot.line, spot.column};
}

static uint32_t function_of_call(struct frames *frames, struct profile *profile, struct code_call *call)
{
    if (call->window != frames->window) {
        call->window = frames->window;
        call->function = call->name ? script_function(frames, profile, call->name, call->name_len)
                                    : frames_function_of_no_file(profile, "[inlined]", 9);
    }
    return call->function;
}

/* The functions at |offset| in |code|, innermost first; the number of lines. */
static unsigned lines_at(struct frames *frames, struct profile *profile, struct code *code, uintptr_t offset,
                         struct profile_line *lines)
{
    const struct code_place *place = code_place_at(code, offset);
    uint32_t call = place ? place->call : 0;
    uint32_t position = place ? place->position : code_position_at(code, offset);
    unsigned n = 0;
    for (; call && n < MAX_INLINED; n++) {
        struct code_call *inlined = &code->inlining->calls[call - 1];
        lines[n] = line_in(profile, function_of_call(frames, profile, inlined), inlined->script, position);
        position = inlined->position;
        call = inlined->caller;
    }
    lines[n++] = line_in(profile, code->function, code->script, position);
    return n;
}

static enum v8_tier tier_of(const struct code *code)
{
    struct v8_name name;
    v8name_parse(code_name(code), code->name_len, &name);
    return v8_tier_of_mark(name.tier);
}

uint32_t script_code_location(struct frames *frames, struct profile *profile, struct code *code,
                              uintptr_t start, uintptr_t address)
{
    struct profile_line lines[MAX_INLINED + 1];
    if (frames->tells_tier && !frames->tier) frames->tier = tier_of(code);
    frames->is_native = 0;
    if (code->window != frames->window) {
        code->window = frames->window;
        code->function = script_function(frames, profile, code_name(code), code->name_len);
    }
    unsigned n = lines_at(frames, profile, code, address - start, lines);
    uint32_t location = profile_location(profile, 0, start, lines, n);
    profile_location_set_type(profile, location, PROFILE_FRAME_V8JS);
    return location;
}

int script_name_begins(const struct code *code, const char *prefix)
{
    size_t len = strlen(prefix);
    return code->name_len >= len && !memcmp(code_name(code), prefix, len);
}

int script_is_interpreter(const struct code *code)
{
    return script_name_begins(code, "BytecodeHandler:") ||
           script_name_begins(code, "Builtin:InterpreterEntryTrampoline");
}

int script_is_function(const struct code *code)
{
    struct v8_name name;
    v8name_parse(code_name(code), code->name_len, &name);
    return code->type == V8_JIT_CODE &&
           (name.kind == V8_JS || name.kind == V8_EVAL || name.kind == V8_SCRIPT);
}

uint32_t script_untold_location(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                                struct script_frame frame)
{
    uintptr_t start;
    if (!frames->code_map || isolate < 0) return 0;
    struct code *code = code_map_search(frames->code_map, (uint32_t)isolate, pc, &start);
    if (code) return script_code_location(frames, profile, code, start, pc);
    code = code_map_of_function(frames->code_map, (uint32_t)isolate, frame.function, &start);
    return code ? script_code_location(frames, profile, code, start, start) : 0;
}

uint32_t script_location(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                         struct script_frame frame)
{
    uintptr_t start;
    if (!frames->code_map || isolate < 0) return 0;
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    if (!code) return 0;
    if (script_is_interpreter(code)) {
        uintptr_t bytecode_start;
        struct code *bytecode =
            code_map_find(frames->code_map, (uint32_t)isolate, frame.position, &bytecode_start);
        if (bytecode && bytecode->type == V8_BYTE_CODE)
            return script_code_location(frames, profile, bytecode, bytecode_start, frame.position);
    }
    return script_code_location(frames, profile, code, start, pc);
}

uint32_t script_deoptimized_location(struct frames *frames, struct profile *profile, int isolate,
                                     uintptr_t pc, struct script_frame frame)
{
    uintptr_t start, function_start, original = modules_original(&frames->modules, pc);
    if (!frames->code_map || isolate < 0 || !frame.function) return 0;
    struct code *builtin = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    if (builtin ? !script_name_begins(builtin, "Builtin:") || start != pc
                : !script_is_builtin(original ? original : pc))
        return 0;
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, frame.position, &start);
    if (!code || code->type != V8_BYTE_CODE) return 0;
    if (code != code_map_of_function(frames->code_map, (uint32_t)isolate, frame.function, &function_start))
        return 0;
    return script_code_location(frames, profile, code, start, frame.position);
}
