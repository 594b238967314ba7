#include "encode/id_row.h"

#include <string.h>

#include "encode/wire.h"

enum { TABLE_IDS = 1 << 21 }; /* three groups of seven bits */

/* Four ids at a time: GCC's and clang's vectors, which become SSE2 or NEON. */
typedef int32_t four_ids __attribute__((vector_size(16), aligned(4), may_alias));

size_t id_row_size(const uint32_t *ids, size_t count)
{
    four_ids longer = {0}; /* one byte more for each bound that an id exceeds; a comparison gives 0 or -1 */
    size_t i = 0, size = count;
    for (; i + 4 <= count; i += 4) {
        four_ids v = *(const four_ids *)&ids[i];
        longer -= (v > 0x7f) + (v > 0x3fff) + (v > 0x1fffff) + (v > 0xfffffff);
    }
    for (; i < count; i++) size += wire_varint_size(ids[i]) - 1;
    return size + (size_t)((int64_t)longer[0] + longer[1] + longer[2] + longer[3]);
}

void id_row_table(uint32_t *table, size_t count)
{
    for (uint32_t id = 0; id < count; id++) {
        uint8_t entry[4] = {0};
        if (id < TABLE_IDS) entry[3] = (uint8_t)(wire_put_varint(entry, id) - entry);
        memcpy(&table[id], entry, sizeof entry);
    }
}

uint8_t *id_row_put(uint8_t *at, const uint32_t *ids, size_t count, const uint32_t *table)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t entry = table[ids[i]];
        memcpy(at, &entry, sizeof entry);
        at += entry >> 24;
        if (__builtin_expect(!(entry >> 24), 0)) at = wire_put_varint(at, ids[i]);
    }
    return at;
}
