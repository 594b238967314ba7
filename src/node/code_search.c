/* Optimized code that V8 never told of, see code_map.h. */
#include <string.h>

#include "node/code_map.h"
#include "node/inlining.h"
#include "node/isolate.h"
#include "node/optimized.h"
#include "sys/heap.h"
#include "symbol/v8name.h"

/* |bytecode|'s name with |mark| for the one of its tier into |name|, which has room for all of it. */
static void copy_name(const struct code *bytecode, char mark, char *name)
{
    struct v8_name parsed;
    v8name_parse(code_name(bytecode), bytecode->name_len, &parsed);
    memcpy(name, code_name(bytecode), bytecode->name_len);
    char *old = parsed.tier ? memchr(name, parsed.tier, bytecode->name_len) : NULL;
    if (old) *old = mark;
}

static struct code *make_code(const struct found_code *found, const struct code *bytecode)
{
    struct code *code = heap_alloc(sizeof *code + bytecode->name_len);
    if (!code) return NULL;
    *code =
        (struct code){.length = (uint32_t)found->length, .type = V8_JIT_CODE, .name_len = bytecode->name_len};
    copy_name(bytecode, found->mark, (char *)code->lines);
    code->script = script_lines_share(bytecode->script);
    code->inlining = optimized_convert(&found->inlining);
    return code;
}

struct code *code_map_adopt(struct code_map *map, uint32_t isolate, const struct found_code *found)
{
    uintptr_t start;
    struct code *code = NULL, *bytecode = code_map_find(map, isolate, found->bytecode, &start);
    if (bytecode && bytecode->type == V8_BYTE_CODE && start == found->bytecode)
        code = make_code(found, bytecode);
    if (!code) return NULL;
    optimized_complete(code, map, isolate);
    if (!rangemap_insert(&map->of_isolate[isolate], found->start, code->length, (uintptr_t)code)) return code;
    code_free(code);
    return NULL;
}

struct code *code_map_search(struct code_map *map, uint32_t isolate, uintptr_t pc, uintptr_t *start)
{
    const struct node_isolate *owner = &node_process.isolates[isolate];
    struct found_code found;
    if (__atomic_load_n(&owner->state, __ATOMIC_ACQUIRE) != ISOLATE_ATTACHED) return NULL;
    if (pc - owner->code_range >= owner->code_range_len) return NULL;
    if (inlining_find(pc, owner->code_range, &found)) return NULL;
    struct code *code = NULL;
    if (!code_events_awaits(isolate, found.start)) code = code_map_adopt(map, isolate, &found);
    inlining_free(&found.inlining);
    *start = found.start;
    return code;
}
