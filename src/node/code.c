#include "node/code.h"

#include <stddef.h>

#include "sys/heap.h"

uint32_t code_line_at(const struct code *code, uintptr_t offset)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < code->line_count && code->lines[i].offset <= offset; i++)
        line = code->lines[i].line;
    return line;
}

/* Bytecode is not in the order of the source: the nearest position at or before |position| is the one that
 * holds it. */
uint32_t code_line_of_position(const struct code *code, uint32_t position)
{
    uint32_t best = 0, line = 0;
    for (uint32_t i = 0; i < code->line_count; i++) {
        if (code->lines[i].position > position || (line && code->lines[i].position < best)) continue;
        best = code->lines[i].position;
        line = code->lines[i].line;
    }
    return line;
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
