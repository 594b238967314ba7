#include "collect/frames.h"

#include <string.h>

#include "collect/node_view.h"
#include "collect/script_callers.h"
#include "collect/script_frames.h"
#include "node/isolate.h"
#include "symbol/v8name.h"
#include "sys/heap.h"
#include "unwind/walk.h"

enum { MAX_LOCATIONS = 2048 + 64 };

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

uint32_t frames_function(struct profile *profile, const char *name, size_t len, const char *file,
                         size_t file_len, int64_t start_line, int64_t start_column)
{
    uint32_t id = profile_string(profile, name, len);
    return profile_function(profile, id, id, profile_string(profile, file, file_len), start_line,
                            start_column);
}

uint32_t frames_function_of_no_file(struct profile *profile, const char *name, size_t len)
{
    return frames_function(profile, name, len, "", 0, 0, 0);
}

uint32_t frames_named_location(struct profile *profile, const char *name)
{
    struct profile_line line = {frames_function_of_no_file(profile, name, strlen(name)), 0, 0};
    return profile_location(profile, 0, 0, &line, 1);
}

static uint32_t native_location(struct frames *frames, struct profile *profile, const struct module *module,
                                uintptr_t address)
{
    uint32_t location = profile_location(profile, mapping_of(frames, profile, module), address, NULL, 0);
    profile_location_set_type(profile, location, PROFILE_FRAME_NATIVE);
    return location;
}

static uint32_t perfmap_location(struct frames *frames, struct profile *profile, uintptr_t pc)
{
    struct perfmap_symbol *symbol = &frames->symbol;
    struct python_name python;
    if (!frames->perfmap || !perfmap_lookup(frames->perfmap, pc, symbol)) return 0;
    int is_python = perfname_python(symbol->name, symbol->name_len, &python);
    uint32_t function;
    if (is_python)
        function = frames_function(profile, python.function, python.function_len, python.file,
                                   python.file_len, 0, 0);
    else
        function = script_function(frames, profile, symbol->name, symbol->name_len);
    struct profile_line line = {function, profile->functions.items[function].start_line, 0};
    uint32_t location = profile_location(profile, 0, symbol->start, &line, 1);
    if (is_python)
        profile_location_set_type(profile, location, PROFILE_FRAME_CPYTHON);
    else if (v8name_is(symbol->name, symbol->name_len))
        profile_location_set_type(profile, location, PROFILE_FRAME_V8JS);
    return location;
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
        location = script_location(frames, profile, isolate, pc, frame);
        uintptr_t original = location ? 0 : modules_original(&frames->modules, pc);
        if (original) {
            pc = original;
            module = modules_find(&frames->modules, pc);
        }
    }
    if (script_is_builtin(pc)) {
        frames->is_native = 0;
        if (!location) location = script_location(frames, profile, isolate, pc, frame);
    } else if (!module && !location) {
        location = script_untold_location(frames, profile, isolate, pc, frame);
    }
    if (location) return location;
    if (module) return native_location(frames, profile, module, pc);
    location = perfmap_location(frames, profile, pc);
    if (location) return location;
    frames->is_native = 0;
    struct profile_line line = {frames_function_of_no_file(profile, "[unknown]", 9), 0, 0};
    return profile_location(profile, 0, pc, &line, 1);
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
        uint32_t location = script_location(frames, profile, isolate, js[j],
                                            (struct script_frame){js[j], 0, record->unloads});
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
        uint32_t location = exact ? 0 : script_deoptimized_location(frames, profile, isolate, pc + 1, frame);
        if (!location) location = location_of(frames, profile, isolate, pc, frame);
        if (location) locations[n++] = location;
        if (i == 0) n = script_append_callers(frames, profile, record, isolate, locations, n);
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
        if (pc && (script_is_builtin(pc) || !modules_find(&frames->modules, pc))) return 1;
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
