#include "node/code_map.h"

#include "node/isolate.h"
#include "node/optimized.h"
#include "sys/heap.h"

static void release_code(void *context, uint64_t payload)
{
    code_free((struct code *)(uintptr_t)payload);
}

struct code_map *code_map_create(void)
{
    struct code_map *map = heap_zalloc(1, sizeof *map);
    for (uint32_t i = 0; map && i < NODE_MAX_ISOLATES; i++)
        rangemap_init(&map->of_isolate[i], release_code, NULL);
    for (uint32_t i = 0; map && i < NODE_MAX_ISOLATES; i++) rangemap_init(&map->left[i], NULL, NULL);
    return map;
}

void code_map_destroy(struct code_map *map)
{
    for (uint32_t i = 0; map && i < NODE_MAX_ISOLATES; i++) code_map_drop_isolate(map, i);
    heap_free(map);
}

void code_map_drop_isolate(struct code_map *map, uint32_t isolate)
{
    rangemap_clear(&map->of_isolate[isolate]);
    rangemap_clear(&map->left[isolate]);
    for (unsigned i = 0; i < KNOWN_FUNCTIONS; i++)
        if (map->known[i].isolate == isolate) map->known[i] = (struct known_function){0};
}

/* Memory for where it was is not there now and then: then it is not looked for there. */
static void move(struct code_map *map, const struct code_event *event)
{
    struct rangemap *ranges = &map->of_isolate[event->isolate];
    struct rangemap_range range;
    int is_known = rangemap_lookup(ranges, event->start, &range) && range.start == event->start;
    if (!is_known || rangemap_move(ranges, event->start, event->new_start)) return;
    rangemap_insert(&map->left[event->isolate], event->start, range.len, event->new_start);
}

static void apply(struct code_map *map, struct code_event *event)
{
    struct rangemap *ranges = &map->of_isolate[event->isolate];
    if (event->type == V8_CODE_ADDED) {
        rangemap_clear(&map->left[event->isolate]);
        optimized_complete(event->code, map, event->isolate);
        if (rangemap_insert(ranges, event->start, event->code->length, (uintptr_t)event->code))
            code_free(event->code);
    } else if (event->type == CODE_FOUND) {
        uintptr_t start;
        /* Not if V8 has told of it after all. */
        if (!code_map_find(map, event->isolate, event->start, &start))
            code_map_adopt(map, event->isolate, &event->found);
        inlining_free(&event->found.inlining);
    } else if (event->type == V8_CODE_MOVED) {
        move(map, event);
    } else {
        rangemap_remove(ranges, event->start);
    }
}

/*
 * When V8 tells of existing code, a function's bytecode may come after the optimized code that it is inlined
 * into: what is still in the map at the end of the batch is completed once more.
 */
static void finish(struct code_map *map, struct code_event *event)
{
    uintptr_t start;
    if (event->type == V8_CODE_ADDED &&
        code_map_find(map, event->isolate, event->start, &start) == event->code)
        optimized_complete(event->code, map, event->isolate);
    heap_free(event);
}

void code_map_advance(struct code_map *map, uint64_t sequence)
{
    struct code_event *first = code_events_take(sequence), *event;
    for (event = first; event; event = event->next) apply(map, event);
    while (first) {
        event = first;
        first = event->next;
        finish(map, event);
    }
}

struct code *code_map_find(const struct code_map *map, uint32_t isolate, uintptr_t pc, uintptr_t *start)
{
    struct rangemap_range range, left;
    if (rangemap_lookup(&map->of_isolate[isolate], pc, &range)) {
        *start = range.start;
        return (struct code *)(uintptr_t)range.payload;
    }
    if (!rangemap_lookup(&map->left[isolate], pc, &left)) return NULL;
    if (!rangemap_lookup(&map->of_isolate[isolate], left.payload, &range)) return NULL;
    *start = left.start;
    return (struct code *)(uintptr_t)range.payload;
}

size_t code_map_count(const struct code_map *map)
{
    size_t count = 0;
    for (uint32_t i = 0; i < NODE_MAX_ISOLATES; i++) count += map->of_isolate[i].count;
    return count;
}
