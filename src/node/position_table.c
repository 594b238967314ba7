#include "node/position_table.h"

#include <errno.h>

enum { VARINT_BITS = 7, VARINT_MASK = 0x7f, VARINT_MORE = 0x80, WORD_BITS = 64 };

/* source-position.h: bit 0 external, 30 bits script offset + 1, 16 bits inlining id + 1. */
enum { EXTERNAL_BIT = 1, OFFSET_SHIFT = 1, FUNCTION_SHIFT = 31 };

#define OFFSET_MASK 0x3fffffffu
#define FUNCTION_MASK 0xffffu

/* Entries are differences; before the first stands the function's entry (kFunctionEntryBytecodeOffset). */
enum { FIRST_PC = -1 };

struct v8_position v8_position_of(uint64_t word)
{
    uint32_t offset = (uint32_t)(word >> OFFSET_SHIFT) & OFFSET_MASK;
    return (struct v8_position){.external = (int)(word & EXTERNAL_BIT),
                                .offset = offset ? offset - 1 : INLINING_NO_POSITION,
                                .function = (uint32_t)(word >> FUNCTION_SHIFT) & FUNCTION_MASK};
}

/* A zig-zag variable-length integer at |*at|, which is moved behind it; 0 or -EINVAL. */
static int take_integer(const uint8_t **at, const uint8_t *end, int64_t *value)
{
    uint64_t bits = 0;
    for (unsigned shift = 0; *at < end && shift < WORD_BITS; shift += VARINT_BITS) {
        uint8_t byte = *(*at)++;
        bits |= (uint64_t)(byte & VARINT_MASK) << shift;
        if (byte & VARINT_MORE) continue;
        *value = (int64_t)((bits >> 1) ^ -(bits & 1));
        return 0;
    }
    return -EINVAL;
}

/* Appends |entry| to |count| entries; the new count, or -EINVAL when it does not fit. */
static int append(struct inlined_position *positions, int count, uint32_t limit,
                  struct inlined_position entry)
{
    if (count && positions[count - 1].pc_offset == entry.pc_offset) count--;
    if (count && positions[count - 1].function == entry.function &&
        positions[count - 1].position == entry.position)
        return count;
    if ((uint32_t)count == limit) return -EINVAL;
    positions[count] = entry;
    return count + 1;
}

int position_table_decode(const uint8_t *table, size_t size, size_t code_len, uint32_t function_count,
                          struct inlined_position *positions, uint32_t limit)
{
    const uint8_t *at = table, *end = table + size;
    int64_t pc = FIRST_PC;
    uint64_t word = 0;
    int count = 0;
    while (at < end) {
        int64_t pc_delta, word_delta;
        if (take_integer(&at, end, &pc_delta) || take_integer(&at, end, &word_delta)) return -EINVAL;
        if (pc_delta < 0) pc_delta = ~pc_delta; /* negative: not a statement, -delta - 1 */
        if (pc_delta > (int64_t)code_len - pc) return -EINVAL;
        pc += pc_delta;
        word += (uint64_t)word_delta;
        struct v8_position position = v8_position_of(word);
        if (position.external) continue;
        if (position.function > function_count || pc < 0) return -EINVAL;
        count = append(positions, count, limit,
                       (struct inlined_position){(uint32_t)pc, position.function, position.offset});
        if (count < 0) return count;
    }
    return count;
}
