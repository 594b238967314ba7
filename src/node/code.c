#include "node/code.h"

#include <stddef.h>

#include "sys/heap.h"

uint32_t code_position_at(const struct code *code, uintptr_t offset)
{
    uint32_t position = SCRIPT_NO_POSITION;
    for (uint32_t i = 0; i < code->line_count && code->lines[i].offset <= offset; i++)
        position = code->lines[i].position;
    return position;
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
        for (uint32_t i = 0; i < code->inlining->call_count; i++) {
            heap_free(code->inlining->calls[i].name);
            script_lines_release(code->inlining->calls[i].script);
        }
        heap_free(code->inlining->calls);
        heap_free(code->inlining->places);
        heap_free(code->inlining);
    }
    script_lines_release(code->script);
    heap_free(code);
}
