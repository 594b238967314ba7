#include "collect/frames.h"

#include <string.h>

#include "collect/node_view.h"
#include "node/frame_setup.h"
#include "node/isolate.h"
#include "symbol/v8name.h"
#include "sys/heap.h"
#include "unwind/walk.h"

enum {
    MAX_LOCATIONS = 2048 + 64,
    MAX_INLINED = 64,
    PATH_BYTES = 4096,
    BYTECODE_HEADER_MAX = 64 /* from a BytecodeArray to its first bytecode, V8 9 to 14 */
};

void frames_begin_window(struct frames *frames, uint32_t window, struct profile *profile)
{
    frames->window = window;
    if (frames->mapping_of) memset(frames->mapping_of, 0, frames->mapping_cap * sizeof *frames->mapping_of);
    for (size_t i = 0; profile && i < frames->modules.count; i++) {
        const struct module *module = frames->modules.all[i];
        if (!module->is_main) continue; /* pprof wants the main binary first */
        profile_mapping(profile, module->start, module->limit, module->file_offset,
                        profile_string(profile, module->path, strlen(module->path)),
                        profile_string(profile, module->build_id, strlen(module->build_id)));
        break;
    }
}

static uint32_t mapping_of(struct frames *frames, struct profile *profile, const struct module *module)
{
    size_t old = frames->mapping_cap;
    if (heap_grow(&frames->mapping_of, &frames->mapping_cap, module->id + 1, sizeof *frames->mapping_of))
        return 0;
    if (frames->mapping_cap > old)
        memset(frames->mapping_of + old, 0, (frames->mapping_cap - old) * sizeof *frames->mapping_of);
    uint32_t *id = &frames->mapping_of[module->id];
    if (!*id)
        *id = profile_mapping(profile, module->start, module->limit, module->file_offset,
                              profile_string(profile, module->path, strlen(module->path)),
                              profile_string(profile, module->build_id, strlen(module->build_id)));
    return *id;
}

static uint32_t function_named(struct profile *profile, const char *name, size_t len, const char *file,
                               size_t file_len, int64_t start_line, int64_t start_column)
{
    uint32_t id = profile_string(profile, name, len);
    return profile_function(profile, id, id, profile_string(profile, file, file_len), start_line,
                            start_column);
}

static uint32_t function_of_no_file(struct profile *profile, const char *name, size_t len)
{
    return function_named(profile, name, len, "", 0, 0, 0);
}

uint32_t frames_named_location(struct profile *profile, const char *name)
{
    struct profile_line line = {function_of_no_file(profile, name, strlen(name)), 0, 0};
    return profile_location(profile, 0, 0, &line, 1);
}

static uint32_t native_location(struct frames *frames, struct profile *profile, const struct module *module,
                                uintptr_t address)
{
    return profile_location(profile, mapping_of(frames, profile, module), address, NULL, 0);
}

/* The function that V8 calls |text|, in the profile's words; prefixed forms keep their prefix, as perf shows
 * them. */
static uint32_t v8_function(struct frames *frames, struct profile *profile, const char *text, size_t len)
{
    struct v8_name name;
    char path[PATH_BYTES];
    v8name_parse(text, len, &name);
    if (name.kind == V8_BUILTIN || name.kind == V8_BYTECODE_HANDLER || name.kind == V8_STUB ||
        name.kind == V8_OTHER)
        return function_of_no_file(profile, text, len);
    if (name.kind == V8_REGEXP) {
        char pattern[256] = "RegExp:";
        size_t n = name.function_len < sizeof pattern - 7 ? name.function_len : sizeof pattern - 7;
        memcpy(pattern + 7, name.function, n);
        return function_of_no_file(profile, pattern, n + 7);
    }
    size_t path_len = script_path(&frames->paths, name.url, name.url_len, path, sizeof path);
    return function_named(profile, name.function, name.function_len, path, path_len, name.line, name.column);
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
        call->function = call->name ? v8_function(frames, profile, call->name, call->name_len)
                                    : function_of_no_file(profile, "[inlined]", 9);
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

static uint32_t code_location(struct frames *frames, struct profile *profile, struct code *code,
                              uintptr_t start, uintptr_t address)
{
    struct profile_line lines[MAX_INLINED + 1];
    if (frames->tells_tier && !frames->tier) frames->tier = tier_of(code);
    frames->is_native = 0;
    if (code->window != frames->window) {
        code->window = frames->window;
        code->function = v8_function(frames, profile, code_name(code), code->name_len);
    }
    unsigned n = lines_at(frames, profile, code, address - start, lines);
    return profile_location(profile, 0, start, lines, n);
}

static int code_name_begins(const struct code *code, const char *prefix)
{
    size_t len = strlen(prefix);
    return code->name_len >= len && !memcmp(code_name(code), prefix, len);
}

/* True for the two builtins in which an interpreted function's frame stands. */
static int is_interpreter(const struct code *code)
{
    return code_name_begins(code, "BytecodeHandler:") ||
           code_name_begins(code, "Builtin:InterpreterEntryTrampoline");
}

/* True for the machine code of a JavaScript function. */
static int is_script(const struct code *code)
{
    struct v8_name name;
    v8name_parse(code_name(code), code->name_len, &name);
    return code->type == V8_JIT_CODE &&
           (name.kind == V8_JS || name.kind == V8_EVAL || name.kind == V8_SCRIPT);
}

/* What a frame may know of itself besides its pc: see sample/record.h. */
struct script_frame {
    uint64_t position, function;
    uint32_t unloads;
};

/* The location of a frame whose code V8 never told, made before we attached: V8's memory tells, or the frame
 * still says which function it runs. */
static uint32_t untold_location(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                                struct script_frame frame)
{
    uintptr_t start;
    if (!frames->code_map || isolate < 0) return 0;
    struct code *code = code_map_search(frames->code_map, (uint32_t)isolate, pc, &start);
    if (code) return code_location(frames, profile, code, start, pc);
    code = code_map_of_function(frames->code_map, (uint32_t)isolate, frame.function, &start);
    return code ? code_location(frames, profile, code, start, start) : 0;
}

/* The location of V8 code at |pc|, 0: not V8's, or not told. */
static uint32_t v8_location(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                            struct script_frame frame)
{
    uintptr_t start;
    if (!frames->code_map || isolate < 0) return 0;
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    if (!code) return 0;
    if (is_interpreter(code)) {
        uintptr_t bytecode_start;
        struct code *bytecode =
            code_map_find(frames->code_map, (uint32_t)isolate, frame.position, &bytecode_start);
        if (bytecode && bytecode->type == V8_BYTE_CODE)
            return code_location(frames, profile, bytecode, bytecode_start, frame.position);
    }
    return code_location(frames, profile, code, start, pc);
}

static uint32_t perfmap_location(struct frames *frames, struct profile *profile, uintptr_t pc)
{
    struct perfmap_symbol *symbol = &frames->symbol;
    struct python_name python;
    if (!frames->perfmap || !perfmap_lookup(frames->perfmap, pc, symbol)) return 0;
    uint32_t function;
    if (perfname_python(symbol->name, symbol->name_len, &python))
        function =
            function_named(profile, python.function, python.function_len, python.file, python.file_len, 0, 0);
    else
        function = v8_function(frames, profile, symbol->name, symbol->name_len);
    struct profile_line line = {function, profile->functions.items[function].start_line, 0};
    return profile_location(profile, 0, symbol->start, &line, 1);
}

static int in_blob(uintptr_t pc)
{
    uintptr_t start = __atomic_load_n(&node_process.blob_start, __ATOMIC_ACQUIRE);
    return start && pc >= start && pc < node_process.blob_limit;
}

/* The location of |pc|, 0 to leave the frame out: our own pthread_create wrapper is nobody's business. */
static uint32_t location_of(struct frames *frames, struct profile *profile, int isolate, uintptr_t pc,
                            struct script_frame frame)
{
    const struct module *module = modules_find(&frames->modules, pc);
    if (module && module->since > frame.unloads) module = NULL; /* something else may have been there then */
    if (module && module->is_self) return 0;
    uint32_t location = 0;
    if (!module) {
        location = v8_location(frames, profile, isolate, pc, frame);
        uintptr_t original = location ? 0 : modules_original(&frames->modules, pc);
        if (original) {
            pc = original;
            module = modules_find(&frames->modules, pc);
        }
    }
    if (in_blob(pc)) {
        frames->is_native = 0;
        if (!location) location = v8_location(frames, profile, isolate, pc, frame);
    } else if (!module && !location) {
        location = untold_location(frames, profile, isolate, pc, frame);
    }
    if (location) return location;
    if (module) return native_location(frames, profile, module, pc);
    location = perfmap_location(frames, profile, pc);
    if (location) return location;
    frames->is_native = 0;
    struct profile_line line = {function_of_no_file(profile, "[unknown]", 9), 0, 0};
    return profile_location(profile, 0, pc, &line, 1);
}

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
    if (is_interpreter(code)) {
        code = interpreted(frames, record, isolate, bytecode, &start);
        return code ? code_location(frames, profile, code, start, record_position(record, 0)) : 0;
    }
    return is_same_function(code, bytecode) ? code_location(frames, profile, code, start, address - 1) : 0;
}

/* True if the frame that belongs to the function with |bytecode| is not that of the code at |pc|. */
static int has_no_frame(struct frames *frames, const struct sample_record *record, int isolate,
                        const struct code *bytecode, const struct code *code, uintptr_t start, uintptr_t pc)
{
    uintptr_t original = modules_original(&frames->modules, pc);
    if (!code) return in_blob(original ? original : pc);
    if (is_interpreter(code)) return !interpreted(frames, record, isolate, bytecode, &start);
    if (is_script(code)) return !is_same_function(code, bytecode) || !frame_setup_is_done(start, pc);
    return code_name_begins(code, "Builtin:");
}

/* The location of the function with |bytecode| at |bytecode_start|, if the innermost frame itself says that
 * it is its, else 0: which function a JSFunction is may have changed since the sample was taken. */
static uint32_t owner_location(struct frames *frames, struct profile *profile,
                               const struct sample_record *record, int isolate, struct code *bytecode,
                               uintptr_t bytecode_start)
{
    uintptr_t start, position = record_position(record, 0);
    struct code *code = interpreted(frames, record, isolate, bytecode, &start);
    if (code) return code_location(frames, profile, code, start, position);
    if (bytecode_start - position > BYTECODE_HEADER_MAX) return 0;
    return code_location(frames, profile, bytecode, bytecode_start, bytecode_start);
}

/* The location of the function that |record|'s leaf, a builtin, returns to, 0: to none. */
static uint32_t entered_location(struct frames *frames, struct profile *profile,
                                 const struct sample_record *record, int isolate)
{
    uintptr_t start, pc = record->top[0] - 1;
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    return code && is_script(code) ? code_location(frames, profile, code, start, pc) : 0;
}

/*
 * Appends to |locations| the JavaScript that the walk passed over, because the frame pointer was still, or
 * again, its own: the caller of a function that is entered or left, and of a builtin without a frame, which
 * most of those are that JavaScript calls for its operations (Add_Baseline). The JSFunction in its frame
 * says who it is, and the return address at the top of the stack where it is; where a builtin has put
 * something else there, its first line stands in. Baseline code has its frame made by a builtin: then there
 * are two, the function that is entered and its caller.
 */
static unsigned append_callers(struct frames *frames, struct profile *profile,
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
    int in_builtin = !leaf || !is_script(leaf);
    uint32_t entered = in_builtin ? entered_location(frames, profile, record, isolate) : 0;
    if (entered) locations[n++] = entered;
    caller = return_location(frames, profile, record, isolate, owner, record->top[1]);
    if (!caller && in_builtin && !entered)
        caller = owner_location(frames, profile, record, isolate, owner, owner_start);
    if (caller) locations[n++] = caller;
    return n;
}

/*
 * A frame that deoptimization made goes on in the interpreter, or in baseline code, when it is returned to:
 * its return address |pc| is the first instruction of a builtin that sees to that
 * (InterpreterEnterAtBytecode), and where it stands is told as in the interpreter's own frames. 0: |pc| is no
 * such frame's.
 */
static uint32_t deoptimized_location(struct frames *frames, struct profile *profile, int isolate,
                                     uintptr_t pc, struct script_frame frame)
{
    uintptr_t start, function_start, original = modules_original(&frames->modules, pc);
    if (!frames->code_map || isolate < 0 || !frame.function) return 0;
    struct code *builtin = code_map_find(frames->code_map, (uint32_t)isolate, pc, &start);
    if (builtin ? !code_name_begins(builtin, "Builtin:") || start != pc : !in_blob(original ? original : pc))
        return 0;
    struct code *code = code_map_find(frames->code_map, (uint32_t)isolate, frame.position, &start);
    if (!code || code->type != V8_BYTE_CODE) return 0;
    if (code != code_map_of_function(frames->code_map, (uint32_t)isolate, frame.function, &function_start))
        return 0;
    return code_location(frames, profile, code, start, frame.position);
}

/* The part of V8's own stack that the native walk did not reach, appended to |locations|. */
static unsigned append_js(struct frames *frames, struct profile *profile, const struct sample_record *record,
                          int isolate, uint32_t *locations, unsigned n)
{
    const uint64_t *js = record_js(record);
    unsigned first = 0;
    for (unsigned j = 0; j < record->js_count; j++)
        for (unsigned i = 0; i < (unsigned)record->native_count + record->script_count; i++)
            if ((record->words[i] & ~UNWIND_PC_EXACT) == js[j]) first = j + 1;
    for (unsigned j = first; j < record->js_count && n < MAX_LOCATIONS - 1; j++) {
        uint32_t location =
            v8_location(frames, profile, isolate, js[j], (struct script_frame){js[j], 0, record->unloads});
        if (location) locations[n++] = location;
    }
    return n;
}

uint32_t frames_stack(struct frames *frames, struct profile *profile, const struct sample_record *record,
                      int isolate)
{
    uint32_t locations[MAX_LOCATIONS];
    unsigned n = 0;
    frames->is_native = 1;
    frames->tier = V8_TIER_NONE;
    for (unsigned i = 0; i < record->native_count && n < MAX_LOCATIONS - 1; i++) {
        uint64_t word = record->words[i];
        if (word == UNWIND_TRUNCATED) {
            locations[n++] = frames_named_location(profile, "[truncated]");
            continue;
        }
        int exact = i == 0 || word & UNWIND_PC_EXACT;
        uintptr_t pc = (word & ~UNWIND_PC_EXACT) - !exact;
        struct script_frame frame = {record_position(record, i), record_function(record, i), record->unloads};
        uint32_t location = exact ? 0 : deoptimized_location(frames, profile, isolate, pc + 1, frame);
        if (!location) location = location_of(frames, profile, isolate, pc, frame);
        if (location) locations[n++] = location;
        if (i == 0) n = append_callers(frames, profile, record, isolate, locations, n);
    }
    if (record->end != UNWIND_END_COMPLETE && record->end != UNWIND_END_ZERO_PC) {
        n = append_js(frames, profile, record, isolate, locations, n);
        locations[n++] = frames_named_location(profile, "[truncated]");
    } else if (isolate >= 0 && frames->is_native && n < MAX_LOCATIONS) {
        locations[n++] = frames_named_location(profile, NODE_VIEW_PROGRAM);
    }
    return profile_stack(profile, locations, n);
}

int frames_has_unknown(const struct frames *frames, const struct sample_record *record)
{
    uintptr_t start;
    for (unsigned i = 0; i < record->native_count; i++) {
        uintptr_t pc = record->words[i] & ~UNWIND_PC_EXACT;
        if (!pc || modules_find(&frames->modules, pc) || modules_original(&frames->modules, pc)) continue;
        if (frames->code_map && record->has_isolate &&
            code_map_find(frames->code_map, record->isolate, pc, &start))
            continue;
        return 1;
    }
    return 0;
}

int frames_has_script(const struct frames *frames, const struct sample_record *record)
{
    for (unsigned i = 0; i < record->native_count; i++) {
        uintptr_t pc = record->words[i] & ~UNWIND_PC_EXACT;
        if (pc && (in_blob(pc) || !modules_find(&frames->modules, pc))) return 1;
    }
    return 0;
}

uint32_t frames_synthetic_stack(struct frames *frames, struct profile *profile, const char *name,
                                uintptr_t parent)
{
    uint32_t locations[2] = {frames_named_location(profile, name), 0};
    unsigned n = 1;
    const struct module *module = parent ? modules_find(&frames->modules, parent) : NULL;
    if (module && !module->is_self) locations[n++] = native_location(frames, profile, module, parent);
    return profile_stack(profile, locations, n);
}
