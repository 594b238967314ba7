#include "node/optimized.h"

#include <string.h>

#include "node/code_map.h"
#include "sys/heap.h"

static void take_calls(struct code_inlining *out, const struct inlining *in)
{
    for (uint32_t i = 0; i < in->function_count; i++) {
        const struct inlined_function *function = &in->functions[i];
        out->calls[i] = (struct code_call){
            .bytecode = function->bytecode, .caller = function->caller, .position = function->call_position};
    }
    out->call_count = in->function_count;
}

/* Machine code has a position for every instruction: an entry only where it changes. */
static void take_places(struct code_inlining *out, const struct inlining *in)
{
    const struct code_place *last = NULL;
    for (uint32_t i = 0; i < in->position_count; i++) {
        const struct inlined_position *position = &in->positions[i];
        if (last && last->call == position->function && last->position == position->position) continue;
        out->places[out->place_count] = (struct code_place){
            .offset = position->pc_offset, .call = position->function, .position = position->position};
        last = &out->places[out->place_count++];
    }
}

struct code_inlining *optimized_convert(const struct inlining *in)
{
    struct code_inlining *out = in->position_count ? heap_zalloc(1, sizeof *out) : NULL;
    if (!out) return NULL;
    out->calls = heap_alloc((in->function_count + 1) * sizeof *out->calls);
    out->places = heap_alloc(in->position_count * sizeof *out->places);
    if (out->calls && out->places) {
        take_calls(out, in);
        take_places(out, in);
        return out;
    }
    heap_free(out->calls);
    heap_free(out->places);
    heap_free(out);
    return NULL;
}

struct code_inlining *optimized_decode(const struct v8_jit_code_event *event)
{
    struct inlining in;
    if (inlining_decode(event->code_start, event->code_len, event->script != NULL, &in)) return NULL;
    struct code_inlining *out = optimized_convert(&in);
    inlining_free(&in);
    return out;
}

void optimized_complete(struct code *code, const struct code_map *map, uint32_t isolate)
{
    struct code_inlining *inlining = code->inlining;
    uintptr_t start;
    for (uint32_t i = 0; inlining && i < inlining->call_count; i++) {
        struct code_call *call = &inlining->calls[i];
        if (call->name || !call->bytecode) continue; /* completed before */
        const struct code *bytecode = code_map_find(map, isolate, call->bytecode, &start);
        if (!bytecode) continue;
        call->name = heap_strndup(code_name(bytecode), bytecode->name_len);
        call->name_len = call->name ? bytecode->name_len : 0;
        call->script = call->name ? script_lines_share(bytecode->script) : NULL;
    }
}
