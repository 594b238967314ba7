#include "symbol/rangemap.h"

#include <errno.h>
#include <string.h>

#include "sys/hash.h"
#include "sys/heap.h"

enum { FIRST_CAP = 64 };

void rangemap_init(struct rangemap *map, void (*release)(void *context, uint64_t payload), void *context)
{
    memset(map, 0, sizeof *map);
    map->release = release;
    map->context = context;
}

static uint32_t priority(uint32_t node)
{
    return (uint32_t)hash_mix(node * 0x9e3779b97f4a7c15ULL);
}

/* Growing by a quarter, not by doubling: at a million ranges a doubling would map 64 MB. */
static int reserve_node(struct rangemap *map)
{
    if (map->free_head || map->used < map->cap) return 0;
    uint64_t cap = map->cap ? map->cap + (uint64_t)map->cap / 4 : FIRST_CAP;
    if (cap > UINT32_MAX) return -ENOMEM;
    struct rangemap_node *nodes = heap_realloc(map->nodes, cap * sizeof *nodes);
    if (!nodes) return -ENOMEM;
    map->nodes = nodes;
    map->cap = (uint32_t)cap;
    if (!map->used) map->used = 1;
    return 0;
}

static uint32_t take_node(struct rangemap *map)
{
    uint32_t node = map->free_head;
    if (!node) return map->used++;
    map->free_head = map->nodes[node].left;
    return node;
}

static void give_node(struct rangemap *map, uint32_t node)
{
    map->nodes[node].len = 0; /* a range never has: rangemap_retain, rangemap_clear */
    map->nodes[node].left = map->free_head;
    map->free_head = node;
}

/* Splits |tree| at |start| into what starts below it and what does not. */
static void split(struct rangemap_node *nodes, uint32_t tree, uint64_t start, uint32_t *below,
                  uint32_t *above)
{
    while (tree) {
        if (nodes[tree].start < start) {
            *below = tree;
            below = &nodes[tree].right;
            tree = *below;
        } else {
            *above = tree;
            above = &nodes[tree].left;
            tree = *above;
        }
    }
    *below = *above = 0;
}

/* Joins two trees, all of |a| below all of |b|, at |link|. */
static void join(struct rangemap_node *nodes, uint32_t a, uint32_t b, uint32_t *link)
{
    while (a && b) {
        if (priority(a) > priority(b)) {
            *link = a;
            link = &nodes[a].right;
            a = *link;
        } else {
            *link = b;
            link = &nodes[b].left;
            b = *link;
        }
    }
    *link = a ? a : b;
}

static void attach(struct rangemap *map, uint32_t node)
{
    struct rangemap_node *nodes = map->nodes;
    uint64_t start = nodes[node].start;
    uint32_t *link = &map->root;
    while (*link && priority(*link) >= priority(node))
        link = start < nodes[*link].start ? &nodes[*link].left : &nodes[*link].right;
    split(nodes, *link, start, &nodes[node].left, &nodes[node].right);
    *link = node;
    map->count++;
}

/* Takes the range that starts at |start| out of the tree: its node, or 0. */
static uint32_t detach(struct rangemap *map, uint64_t start)
{
    struct rangemap_node *nodes = map->nodes;
    uint32_t *link = &map->root;
    while (*link && nodes[*link].start != start)
        link = start < nodes[*link].start ? &nodes[*link].left : &nodes[*link].right;
    uint32_t node = *link;
    if (!node) return 0;
    join(nodes, nodes[node].left, nodes[node].right, link);
    map->count--;
    return node;
}

/* The last range that starts at or below |address|, or 0. */
static uint32_t last_at_or_below(const struct rangemap *map, uint64_t address)
{
    uint32_t best = 0, node = map->root;
    while (node) {
        if (map->nodes[node].start <= address) {
            best = node;
            node = map->nodes[node].right;
        } else {
            node = map->nodes[node].left;
        }
    }
    return best;
}

static void drop(struct rangemap *map, uint64_t start)
{
    uint32_t node = detach(map, start);
    uint64_t payload = map->nodes[node].payload;
    give_node(map, node);
    if (map->release) map->release(map->context, payload);
}

static void drop_overlapped(struct rangemap *map, uint64_t start, uint64_t len)
{
    for (;;) {
        uint32_t node = last_at_or_below(map, start + len - 1);
        if (!node || map->nodes[node].start + map->nodes[node].len <= start) return;
        drop(map, map->nodes[node].start);
    }
}

int rangemap_insert(struct rangemap *map, uint64_t start, uint64_t len, uint64_t payload)
{
    uint64_t limit;
    if (!len || __builtin_add_overflow(start, len, &limit)) return -EINVAL;
    drop_overlapped(map, start, len);
    if (reserve_node(map)) return -ENOMEM;
    uint32_t node = take_node(map);
    map->nodes[node] = (struct rangemap_node){start, len, payload, 0, 0};
    attach(map, node);
    return 0;
}

int rangemap_remove(struct rangemap *map, uint64_t start)
{
    uint32_t node = last_at_or_below(map, start);
    if (!node || map->nodes[node].start != start) return -ENOENT;
    drop(map, start);
    return 0;
}

int rangemap_move(struct rangemap *map, uint64_t from, uint64_t to)
{
    uint32_t node = last_at_or_below(map, from);
    if (!node || map->nodes[node].start != from) return -ENOENT;
    uint64_t len = map->nodes[node].len, limit;
    if (__builtin_add_overflow(to, len, &limit)) return -EINVAL;
    detach(map, from);
    drop_overlapped(map, to, len);
    map->nodes[node].start = to;
    attach(map, node);
    return 0;
}

int rangemap_lookup(const struct rangemap *map, uint64_t address, struct rangemap_range *range)
{
    uint32_t node = last_at_or_below(map, address);
    if (!node) return 0;
    const struct rangemap_node *n = &map->nodes[node];
    if (address - n->start >= n->len) return 0;
    *range = (struct rangemap_range){n->start, n->len, n->payload};
    return 1;
}

void rangemap_retain(struct rangemap *map, int (*keep)(void *context, uint64_t start, uint64_t len),
                     void *context)
{
    for (uint32_t i = 1; i < map->used; i++)
        if (map->nodes[i].len && !keep(context, map->nodes[i].start, map->nodes[i].len))
            rangemap_remove(map, map->nodes[i].start);
}

void rangemap_clear(struct rangemap *map)
{
    for (uint32_t i = 1; i < map->used && map->release; i++)
        if (map->nodes[i].len) map->release(map->context, map->nodes[i].payload);
    heap_free(map->nodes);
    rangemap_init(map, map->release, map->context);
}

size_t rangemap_bytes(const struct rangemap *map)
{
    return map->cap * sizeof *map->nodes;
}
