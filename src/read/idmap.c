// SPDX-License-Identifier: Apache-2.0
#include "idmap.h"

#include <errno.h>
#include <stdlib.h>

#include "profile.h"

static int compare(const void *a, const void *b)
{
    uint64_t left = ((const struct read_id *)a)->id, right = ((const struct read_id *)b)->id;
    return left < right ? -1 : left > right;
}

int read_idmap_build(struct read_idmap *map, uint64_t *duplicate)
{
    if (map->count) qsort(map->ids, map->count, sizeof *map->ids, compare);
    for (size_t i = 1; i < map->count; i++)
        if (map->ids[i].id == map->ids[i - 1].id) {
            *duplicate = map->ids[i].id;
            return -EEXIST;
        }
    return 0;
}

uint32_t read_idmap_find(const struct read_idmap *map, uint64_t id)
{
    if (id - 1 < map->count && map->ids[id - 1].id == id) return map->ids[id - 1].index;
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->count && map->ids[low].id == id ? map->ids[low].index : READ_NONE;
}
