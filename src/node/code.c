#include "node/code.h"

#include <stddef.h>

#include "sys/heap.h"

struct code_spot code_spot_at(const struct code *code, uintptr_t offset)
{
    struct code_spot spot = {0, 0};
    for (uint32_t i = 0; i < code->line_count && code->lines[i].offset <= offset; i++)
        spot = code->lines[i].spot;
    return spot;
}

/* Bytecode is not in the order of the source: the nearest position at or before |position| is the one that
 * holds it. */
struct code_spot code_spot_of_position(const struct code *code, uint32_t position)
{
    const struct code_line *best = NULL;
    for (uint32_t i = 0; i < code->line_count; i++) {
        const struct code_line *line = &code->lines[i];
        if (line->position <= position && (!best || line->position >= best->position)) best = line;
    }
    if (!best) return (struct code_spot){0, 0};
    /* Between two positions that V8 told there may be the end of a line. */
    return (struct code_spot){best->spot.line, best->position == position ? best->spot.column : 0};
}

const struct code_place *code_place_at(const struct code *code, uintptr_t offset)
{
    const struct code_inlining *inlining = code->inlining;
    if (!inlining || !inlining->place_count || inlining->places[0].offset > offset) return NULL;
    uint32_t low = 0, high = inlining->place_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (inlining->places[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return &inlining->places[low];
}

void code_free(struct code *code)
{
    if (!code) return;
    if (code->inlining) {
        for (uint32_t i = 0; i < code->inlining->call_count; i++) heap_free(code->inlining->calls[i].name);
        heap_free(code->inlining->calls);
        heap_free(code->inlining->places);
        heap_free(code->inlining);
    }
    heap_free(code);
}
