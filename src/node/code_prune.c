/* Code whose memory is gone, see code_map.h. */
#include "node/code_map.h"
#include "symbol/maps.h"
#include "sys/heap.h"

enum { PRUNE_MIN = 16384, GROWTH_PART = 4 }; /* pieces; a quarter more than the last time left */

struct interval {
    uintptr_t start, limit;
};

struct intervals {
    struct interval *items;
    size_t count, cap;
};

/* In ascending order, as the kernel lists them; neighbours are joined. */
static int read_mapped(struct intervals *mapped)
{
    char *text = NULL;
    struct maps_line line;
    int rc = 0;
    if (maps_read(&text) < 0) return -1;
    for (const char *at = maps_next(text, &line); at && !rc; at = maps_next(at, &line)) {
        struct interval *last = mapped->count ? &mapped->items[mapped->count - 1] : NULL;
        if (!line.readable) continue;
        if (last && last->limit == line.start) {
            last->limit = line.limit;
            continue;
        }
        rc = heap_grow(&mapped->items, &mapped->cap, mapped->count + 1, sizeof *mapped->items);
        if (!rc) mapped->items[mapped->count++] = (struct interval){line.start, line.limit};
    }
    heap_free(text);
    return rc;
}

static int is_mapped(void *context, uint64_t start, uint64_t len)
{
    const struct intervals *mapped = context;
    size_t low = 0, high = mapped->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (mapped->items[middle].limit <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < mapped->count && mapped->items[low].start <= start &&
           mapped->items[low].limit - start >= len;
}

void code_map_prune(struct code_map *map, int is_due)
{
    struct intervals mapped = {0};
    size_t count = code_map_count(map);
    if (count < PRUNE_MIN) return;
    if (!is_due && count < map->pruned_count + map->pruned_count / GROWTH_PART) return;
    if (!read_mapped(&mapped))
        for (uint32_t i = 0; i < NODE_MAX_ISOLATES; i++)
            rangemap_retain(&map->of_isolate[i], is_mapped, &mapped);
    heap_free(mapped.items);
    map->pruned_count = code_map_count(map);
}
