#include "node/position_table.h"

#include <errno.h>

enum { VARINT_BITS = 7, VARINT_MASK = 0x7f, VARINT_MORE = 0x80, WORD_BITS = 64, FLAG_BITS = 2 };

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
                                .offset = offset ? offset - 1 : SCRIPT_NO_POSITION,
                                .function = (uint32_t)(word >> FUNCTION_SHIFT) & FUNCTION_MASK};
}

int position_table_take(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < WORD_BITS; shift += VARINT_BITS) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & VARINT_MASK) << shift;
        if (!(byte & VARINT_MORE)) return 0;
    }
    return -EINVAL;
}

/* The same, zig-zag. */
static int take_signed(const uint8_t **at, const uint8_t *end, int64_t *value)
{
    uint64_t bits;
    if (position_table_take(at, end, &bits)) return -EINVAL;
    *value = (int64_t)((bits >> 1) ^ -(bits & 1));
    return 0;
}

/* An entry's distance in bytes from the one before it. */
static int take_pc(enum v8_position_encoding encoding, const uint8_t **at, const uint8_t *end,
                   uint64_t *distance)
{
    int64_t value;
    if (encoding == POSITIONS_WITH_FLAGS) {
        if (position_table_take(at, end, distance)) return -EINVAL;
        *distance >>= FLAG_BITS;
        return 0;
    }
    if (take_signed(at, end, &value)) return -EINVAL;
    *distance = (uint64_t)(value < 0 ? ~value : value);
    return 0;
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

int position_table_decode(enum v8_position_encoding encoding, const uint8_t *table, size_t size,
                          size_t code_len, uint32_t function_count, struct inlined_position *positions,
                          uint32_t limit)
{
    const uint8_t *at = table, *end = table + size;
    int64_t pc = FIRST_PC;
    uint64_t word = 0;
    int count = 0;
    while (at < end) {
        uint64_t distance;
        int64_t word_delta;
        if (take_pc(encoding, &at, end, &distance) || take_signed(&at, end, &word_delta)) return -EINVAL;
        if (distance > code_len - (uint64_t)pc) return -EINVAL; /* pc <= code_len; -1 at first, which wraps */
        pc += (int64_t)distance;
        word += (uint64_t)word_delta;
        struct v8_position position = v8_position_of(word);
        if (position.external || pc < 0) continue;
        if (position.function > function_count) return -EINVAL;
        count = append(positions, count, limit,
                       (struct inlined_position){(uint32_t)pc, position.function, position.offset});
        if (count < 0) return count;
    }
    return count;
}
