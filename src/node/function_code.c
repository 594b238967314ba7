/* From what a frame holds to the bytecode of its function, see code_map.h. */
#include "node/code_map.h"

#include "node/isolate.h"
#include "sys/hash.h"
#include "sys/selfmem.h"

enum {
    HEAP_OBJECT_TAG = 1,
    FIELD_BYTES = 8,
    FUNCTION_FIELDS = 6, /* JSFunction: map, properties, elements, then code, shared, context in some order */
    FIRST_SHARED = 3,    /* fields 3 to 5 may be the SharedFunctionInfo */
    DATA_FIELD = 1,      /* SharedFunctionInfo: function data is the first field behind the map */
    HOP_FIELDS = 4, /* baseline code or InterpreterData stands before the bytecode: one of its first fields */
    BYTECODE_PROBE =
        64, /* bytes into a BytecodeArray: behind its header in V8 9 to 14, and in its first bytecodes */
    BYTECODE_HEADER_MIN = 40
};

static int read_fields(uintptr_t tagged, uintptr_t *fields, unsigned count)
{
    return tagged & HEAP_OBJECT_TAG ? selfmem_read(tagged - HEAP_OBJECT_TAG, fields, count * FIELD_BYTES)
                                    : -1;
}

/* The code whose bytecode begins in the header's distance behind |tagged|. */
static struct code *bytecode_at(const struct code_map *map, uint32_t isolate, uintptr_t tagged,
                                uintptr_t *start)
{
    if (!(tagged & HEAP_OBJECT_TAG)) return NULL;
    uintptr_t object = tagged - HEAP_OBJECT_TAG;
    struct code *code = code_map_find(map, isolate, object + BYTECODE_PROBE, start);
    if (!code || code->type != V8_BYTE_CODE) return NULL;
    uintptr_t header = *start - object;
    return header >= BYTECODE_HEADER_MIN && header <= BYTECODE_PROBE ? code : NULL;
}

struct code *code_map_of_position(const struct code_map *map, uint32_t isolate, uintptr_t position,
                                  uintptr_t *start)
{
    struct code *code = code_map_find(map, isolate, position, start);
    return code && code->type == V8_BYTE_CODE ? code : bytecode_at(map, isolate, position, start);
}

static struct code *bytecode_of_shared(const struct code_map *map, uint32_t isolate, uintptr_t shared,
                                       uintptr_t *start)
{
    uintptr_t fields[DATA_FIELD + 1], hop[HOP_FIELDS];
    if (read_fields(shared, fields, DATA_FIELD + 1)) return NULL;
    struct code *code = bytecode_at(map, isolate, fields[DATA_FIELD], start);
    if (code || read_fields(fields[DATA_FIELD], hop, HOP_FIELDS)) return code;
    for (unsigned i = 1; i < HOP_FIELDS && !code; i++) code = bytecode_at(map, isolate, hop[i], start);
    return code;
}

static struct code *last_known(const struct code_map *map, uint32_t isolate, uintptr_t function,
                               uintptr_t *start)
{
    const struct known_function *known = &map->known[hash_mix(function) % KNOWN_FUNCTIONS];
    if (known->function != function || known->isolate != isolate) return NULL;
    struct code *code = code_map_find(map, isolate, known->bytecode, start);
    return code && code->type == V8_BYTE_CODE && *start == known->bytecode ? code : NULL;
}

struct code *code_map_of_function(struct code_map *map, uint32_t isolate, uintptr_t function,
                                  uintptr_t *start)
{
    uintptr_t fields[FUNCTION_FIELDS];
    if (!function) return NULL;
    if (__atomic_load_n(&node_process.isolates[isolate].state, __ATOMIC_ACQUIRE) >= ISOLATE_CLOSED)
        return last_known(map, isolate, function, start);
    if (read_fields(function, fields, FUNCTION_FIELDS)) return NULL;
    struct code *code = NULL;
    for (unsigned i = FIRST_SHARED; i < FUNCTION_FIELDS && !code; i++)
        code = bytecode_of_shared(map, isolate, fields[i], start);
    if (code)
        map->known[hash_mix(function) % KNOWN_FUNCTIONS] = (struct known_function){function, *start, isolate};
    return code;
}
