#include "node/v8_object.h"

#include <errno.h>
#include <stddef.h>

#include "sys/selfmem.h"

enum { DATA_HOPS = 4 /* SharedFunctionInfo -> baseline code -> InterpreterData -> BytecodeArray */ };

uintptr_t v8_object_untag(uintptr_t tagged)
{
    uintptr_t tag = tagged & V8_TAG_MASK;
    if (tag == V8_TAG_STRONG) return tagged - V8_TAG_STRONG;
    /* A cleared weak word is 3 in its low half. */
    if (tag == V8_TAG_WEAK && (uint32_t)tagged != V8_TAG_WEAK) return tagged - V8_TAG_WEAK;
    return 0;
}

uintptr_t v8_object_word(uintptr_t object, int32_t offset)
{
    uintptr_t word = 0;
    if (!object || selfmem_read(object + (uintptr_t)offset, &word, sizeof word)) return 0;
    return word;
}

int32_t v8_object_type(uintptr_t object)
{
    uint16_t type = 0;
    uintptr_t map = v8_object_word(object, 0);
    if ((map & V8_TAG_MASK) != V8_TAG_STRONG) return 0;
    if (selfmem_read(map - V8_TAG_STRONG + V8_MAP_INSTANCE_TYPE, &type, sizeof type)) return 0;
    return type;
}

/* True if |type| is one of the |count| at |types|, where 0 stands for none. */
static int is_one_of(int32_t type, const int32_t *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (type && types[i] == type) return 1;
    return 0;
}

static int open_array(uintptr_t tagged, const int32_t *types, size_t count, uint32_t limit,
                      struct v8_array *array)
{
    uintptr_t object = v8_object_untag(tagged);
    if (!is_one_of(v8_object_type(object), types, count)) return -EINVAL;
    uintptr_t length = v8_object_word(object, V8_ARRAY_LENGTH);
    if ((uint32_t)length || length >> V8_SMI_SHIFT > limit) return -EINVAL;
    array->data = object + V8_ARRAY_DATA;
    array->length = (uint32_t)(length >> V8_SMI_SHIFT);
    return 0;
}

int v8_array_words(const struct v8_layout *layout, uintptr_t tagged, uint32_t limit, struct v8_array *array)
{
    const int32_t types[] = {layout->types.fixed_array, layout->types.trusted_fixed_array,
                             layout->types.protected_fixed_array, layout->types.weak_fixed_array,
                             layout->types.trusted_weak_fixed_array};
    return open_array(tagged, types, sizeof types / sizeof *types, limit, array);
}

int v8_array_bytes(const struct v8_layout *layout, uintptr_t tagged, uint32_t limit, struct v8_array *array)
{
    const int32_t types[] = {layout->types.byte_array, layout->types.trusted_byte_array};
    return open_array(tagged, types, sizeof types / sizeof *types, limit, array);
}

uintptr_t v8_bytecode_of_shared(const struct v8_layout *layout, uintptr_t tagged)
{
    uintptr_t object = v8_object_untag(tagged);
    int32_t type = v8_object_type(object), next = layout->function_data;
    if (!type || type != layout->types.shared_function) return 0;
    for (int hop = 0; hop < DATA_HOPS; hop++) {
        object = v8_object_untag(v8_object_word(object, next));
        type = v8_object_type(object);
        if (!type) return 0;
        if (type == layout->types.bytecode_array) return object + (uintptr_t)layout->bytecode_data;
        if (type == layout->types.code)
            next = layout->deoptimization_data;
        else if (type == layout->types.baseline_data)
            next = layout->baseline_bytecode;
        else if (type == layout->types.interpreter_data)
            next = V8_WRAPPED;
        else
            return 0;
    }
    return 0;
}
