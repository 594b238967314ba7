#include "node/v8_object.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "sys/selfmem.h"

enum {
    DATA_HOPS = 4, /* SharedFunctionInfo -> baseline code -> InterpreterData -> BytecodeArray */
    /* Bytes of a Code object that are looked at. No more than the shortest has: behind it the memory may end
     * (seen with Node 20 --stress-compaction). */
    CODE_FIELDS = 64,
    CODE_ALIGNMENT = 16,       /* of objects that hold code, and of their first instruction, at least */
    SEARCH_BYTES = 256 * 1024, /* V8's pages of code; what is longer has pages of its own */
    SEARCH_BLOCK = 4096,       /* read at once */
    USER_BITS = 47
};

int v8_heap_read(const struct v8_heap *heap, uintptr_t address, void *buffer, size_t size)
{
    if (!heap->proven) return selfmem_read(address, buffer, size);
    memcpy(buffer, (const void *)address, size);
    return 0;
}

uintptr_t v8_object_untag(uintptr_t tagged)
{
    uintptr_t tag = tagged & V8_TAG_MASK;
    if (tag == V8_TAG_STRONG) return tagged - V8_TAG_STRONG;
    /* A cleared weak word is 3 in its low half. */
    if (tag == V8_TAG_WEAK && (uint32_t)tagged != V8_TAG_WEAK) return tagged - V8_TAG_WEAK;
    return 0;
}

uintptr_t v8_object_word(const struct v8_heap *heap, uintptr_t object, int32_t offset)
{
    uintptr_t word = 0;
    if (!object || v8_heap_read(heap, object + (uintptr_t)offset, &word, sizeof word)) return 0;
    return word;
}

int32_t v8_map_type(const struct v8_heap *heap, uintptr_t map)
{
    uint16_t type = 0;
    if ((map & V8_TAG_MASK) != V8_TAG_STRONG) return 0;
    return v8_heap_read(heap, map - V8_TAG_STRONG + V8_MAP_INSTANCE_TYPE, &type, sizeof type) ? 0 : type;
}

int32_t v8_object_type(const struct v8_heap *heap, uintptr_t object)
{
    return v8_map_type(heap, v8_object_word(heap, object, 0));
}

/* True if |type| is one of the |count| at |types|, where 0 stands for none. */
static int is_one_of(int32_t type, const int32_t *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (type && types[i] == type) return 1;
    return 0;
}

static int open_array(const struct v8_heap *heap, uintptr_t tagged, const int32_t *types, size_t count,
                      uint32_t limit, struct v8_array *array)
{
    uintptr_t object = v8_object_untag(tagged);
    if (!is_one_of(v8_object_type(heap, object), types, count)) return -EINVAL;
    uintptr_t length = v8_object_word(heap, object, V8_ARRAY_LENGTH);
    if ((uint32_t)length || length >> V8_SMI_SHIFT > limit) return -EINVAL;
    array->data = object + V8_ARRAY_DATA;
    array->length = (uint32_t)(length >> V8_SMI_SHIFT);
    return 0;
}

int v8_array_words(const struct v8_heap *heap, uintptr_t tagged, uint32_t limit, struct v8_array *array)
{
    const int32_t types[] = {heap->layout->types.fixed_array, heap->layout->types.trusted_fixed_array,
                             heap->layout->types.protected_fixed_array, heap->layout->types.weak_fixed_array,
                             heap->layout->types.trusted_weak_fixed_array};
    return open_array(heap, tagged, types, sizeof types / sizeof *types, limit, array);
}

int v8_array_bytes(const struct v8_heap *heap, uintptr_t tagged, uint32_t limit, struct v8_array *array)
{
    const int32_t types[] = {heap->layout->types.byte_array, heap->layout->types.trusted_byte_array};
    return open_array(heap, tagged, types, sizeof types / sizeof *types, limit, array);
}

uintptr_t v8_bytecode_of_shared(const struct v8_heap *heap, uintptr_t tagged)
{
    uintptr_t object = v8_object_untag(tagged);
    int32_t type = v8_object_type(heap, object), next = heap->layout->function_data;
    if (!type || type != heap->layout->types.shared_function) return 0;
    for (int hop = 0; hop < DATA_HOPS; hop++) {
        object = v8_object_untag(v8_object_word(heap, object, next));
        type = v8_object_type(heap, object);
        if (!type) return 0;
        if (type == heap->layout->types.bytecode_array)
            return object + (uintptr_t)heap->layout->bytecode_data;
        if (type == heap->layout->types.code)
            next = heap->layout->deoptimization_data;
        else if (type == heap->layout->types.baseline_data)
            next = heap->layout->baseline_bytecode;
        else if (type == heap->layout->types.interpreter_data)
            next = V8_WRAPPED;
        else
            return 0;
    }
    return 0;
}

/* The Code object of the machine code at |start|, with what it says of its length, or 0. */
static uintptr_t find_code(const struct v8_heap *heap, uintptr_t start, size_t *len)
{
    const struct v8_layout *layout = heap->layout;
    unsigned char fields[CODE_FIELDS];
    uintptr_t code = start - (uintptr_t)layout->header, told_start = start, map;
    int32_t told_len;
    if (layout->instruction_start > CODE_FIELDS - (int32_t)sizeof told_start ||
        layout->instruction_size > CODE_FIELDS - (int32_t)sizeof told_len)
        return 0;
    if (layout->stream_code) code = v8_object_untag(v8_object_word(heap, code, layout->stream_code));
    if (!code || v8_heap_read(heap, code, fields, sizeof fields)) return 0;
    memcpy(&map, fields, sizeof map);
    if (layout->instruction_start) memcpy(&told_start, fields + layout->instruction_start, sizeof told_start);
    memcpy(&told_len, fields + layout->instruction_size, sizeof told_len);
    if (told_start != start || told_len <= 0) return 0;
    *len = (size_t)told_len;
    int32_t type = v8_map_type(heap, map);
    return type && type == layout->types.code ? code : 0;
}

uintptr_t v8_code_of(const struct v8_heap *heap, uintptr_t start, size_t len)
{
    size_t told_len;
    uintptr_t code = find_code(heap, start, &told_len);
    return code && told_len == len ? code : 0;
}

/* True if the two |words|, with which an object may begin, could be those of one that holds machine code. */
static int may_be_header(const struct v8_layout *layout, const unsigned char *words)
{
    uintptr_t map, code;
    memcpy(&map, words, sizeof map);
    if ((map & V8_TAG_MASK) != V8_TAG_STRONG || map >> USER_BITS) return 0;
    if (!layout->stream_code) return 1;
    memcpy(&code, words + sizeof map, sizeof code);
    return (code & V8_TAG_MASK) == V8_TAG_STRONG && !(code >> USER_BITS);
}

uintptr_t v8_code_around(const struct v8_layout *layout, uintptr_t pc, uintptr_t floor, size_t *len)
{
    const struct v8_heap careful = {layout, 0};
    const uintptr_t header = (uintptr_t)layout->header;
    unsigned char block[SEARCH_BLOCK];
    uintptr_t block_at = 0, start = pc & ~(uintptr_t)(CODE_ALIGNMENT - 1);
    if (pc - floor > SEARCH_BYTES) floor = pc - SEARCH_BYTES;
    for (; start >= floor + header; start -= CODE_ALIGNMENT) {
        uintptr_t object = start - header, offset = object % SEARCH_BLOCK;
        if (object - offset != block_at) {
            block_at = object - offset;
            if (selfmem_read(block_at, block, sizeof block)) return 0;
        }
        if (may_be_header(layout, block + offset) && find_code(&careful, start, len))
            return pc - start < *len ? start : 0;
    }
    return 0;
}
