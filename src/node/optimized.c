#include "node/optimized.h"

#include "node/code_map.h"
#include "node/inlining.h"
#include "node/script_spot.h"
#include "sys/heap.h"

/* Where the optimized function's own positions are in its source: one of the two tells. */
struct own_source {
    void *script;
    const struct code *bytecode;
};

static struct code_spot own_spot(struct own_source own, uint32_t position, const struct code_line *near)
{
    if (position == INLINING_NO_POSITION) return (struct code_spot){0, 0};
    return own.bytecode ? code_spot_of_position(own.bytecode, position)
                        : script_spot(own.script, position, near);
}

static void take_calls(struct code_inlining *out, const struct inlining *in, struct own_source own)
{
    for (uint32_t i = 0; i < in->function_count; i++) {
        const struct inlined_function *function = &in->functions[i];
        out->calls[i] = (struct code_call){
            .bytecode = function->bytecode, .caller = function->caller, .position = function->call_position};
        if (!function->caller) out->calls[i].spot = own_spot(own, function->call_position, NULL);
    }
    out->call_count = in->function_count;
}

/* Machine code has a position for every instruction: an entry only where the function or the place changes.
 */
static void take_places(struct code_inlining *out, const struct inlining *in, struct own_source own)
{
    const struct code_place *last = NULL;
    struct code_line near = {0, 0, {0, 0}};
    for (uint32_t i = 0; i < in->position_count; i++) {
        const struct inlined_position *position = &in->positions[i];
        struct code_place place = {
            .offset = position->pc_offset, .call = position->function, .position = position->position};
        if (last && last->call == place.call && last->position == place.position) continue;
        if (!place.call) {
            place.spot = own_spot(own, place.position, &near);
            near = (struct code_line){0, place.position, place.spot};
            if (last && !last->call && code_spot_equal(last->spot, place.spot)) continue;
        }
        out->places[out->place_count] = place;
        last = &out->places[out->place_count++];
    }
}

static struct code_inlining *convert(const struct inlining *in, struct own_source own)
{
    struct code_inlining *out = in->position_count ? heap_zalloc(1, sizeof *out) : NULL;
    if (!out) return NULL;
    out->calls = heap_alloc((in->function_count + 1) * sizeof *out->calls);
    out->places = heap_alloc(in->position_count * sizeof *out->places);
    if (out->calls && out->places) {
        take_calls(out, in, own);
        take_places(out, in, own);
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
    struct code_inlining *out = convert(&in, (struct own_source){event->script, NULL});
    inlining_free(&in);
    return out;
}

struct code_inlining *optimized_convert(const struct inlining *in, const struct code *bytecode)
{
    return convert(in, (struct own_source){NULL, bytecode});
}

static void name_call(struct code_call *call, const struct code *bytecode)
{
    if (!bytecode) return;
    call->name = heap_strndup(code_name(bytecode), bytecode->name_len);
    call->name_len = call->name ? bytecode->name_len : 0;
}

void optimized_complete(struct code *code, const struct code_map *map, uint32_t isolate)
{
    struct code_inlining *inlining = code->inlining;
    uintptr_t start;
    if (!inlining) return;
    for (uint32_t i = 0; i < inlining->call_count; i++) {
        struct code_call *call = &inlining->calls[i];
        if (call->name) continue; /* completed before */
        const struct code *bytecode =
            call->bytecode ? code_map_find(map, isolate, call->bytecode, &start) : NULL;
        name_call(call, bytecode);
        for (uint32_t p = 0; bytecode && p < inlining->place_count; p++)
            if (inlining->places[p].call == i + 1)
                inlining->places[p].spot = code_spot_of_position(bytecode, inlining->places[p].position);
        for (uint32_t c = i + 1; bytecode && c < inlining->call_count; c++)
            if (inlining->calls[c].caller == i + 1)
                inlining->calls[c].spot = code_spot_of_position(bytecode, inlining->calls[c].position);
    }
}
