#include "node/inlining.h"

#include <errno.h>
#include <string.h>

#include "node/position_table.h"
#include "node/v8_object.h"
#include "sys/heap.h"

enum {
    LITERAL_LIMIT = 100 * 1000, /* of one piece of code; tsc's largest has hundreds */
    DEOPTIMIZATION_MIN = 8,     /* elements of V8's DeoptimizationData, before those a deopt point has */
    DEOPTIMIZATION_LIMIT = 100 * 1000,
    TABLE_LIMIT = 256 * 1024, /* bytes of a position table */
    ENTRY_BYTES_MIN = 2,      /* in a position table: two integers */
    /* Pieces of code decoded, and inlined functions followed to their bytecode, before loads are plain: a
     * system call a word took 60 to 90 us a decode, plain loads 13 to 20 (tsc, Node 16 to 24). */
    PROVING_CODES = 16,
    PROVING_FUNCTIONS = 16,
    OWN_FUNCTION = -1 /* instead of a literal's index: the optimized function, inlined into itself */
};

/* v8::internal::InliningPosition, the same from V8 9 to 14. */
struct raw_function {
    uint64_t position; /* of the call; the function in it is the caller */
    int32_t literal;   /* of the inlined SharedFunctionInfo */
    int32_t padding;
};

static struct {
    struct v8_layout layout;
    int ready;
    uint32_t codes, functions; /* decoded since the last contradiction; isolates' threads count together */
} decoder;

int inlining_prepare(const char *version, void *(*lookup)(const char *))
{
    int rc = v8_layout_find(version, lookup, &decoder.layout);
    decoder.ready = rc == 0;
    decoder.codes = decoder.functions = 0;
    return rc;
}

static uintptr_t element(const struct v8_heap *heap, const struct v8_array *array, int32_t index)
{
    if (index < 0 || (uint32_t)index >= array->length) return 0;
    return v8_object_word(heap, array->data, index * (int32_t)sizeof(uintptr_t));
}

/* The optimized function's own SharedFunctionInfo. */
static uintptr_t own_function(const struct v8_heap *heap, const struct v8_array *deoptimization)
{
    uintptr_t tagged = element(heap, deoptimization, heap->layout->shared_function);
    uintptr_t object = v8_object_untag(tagged);
    int32_t type = v8_object_type(heap, object);
    return type && type == heap->layout->types.shared_wrapper ? v8_object_word(heap, object, V8_WRAPPED)
                                                              : tagged;
}

/* Fills |out|'s functions from the |count| of V8 at |raw|. */
static int convert_functions(const struct v8_heap *heap, const struct raw_function *raw, uint32_t count,
                             const struct v8_array *deoptimization, struct inlining *out)
{
    struct v8_array literals;
    uintptr_t tagged = element(heap, deoptimization, heap->layout->literals);
    int rc = v8_array_words(heap, tagged, LITERAL_LIMIT, &literals);
    for (uint32_t i = 0; i < count && !rc; i++) {
        struct v8_position call = v8_position_of(raw[i].position);
        int own = raw[i].literal == OWN_FUNCTION;
        if (call.external || call.function > i || (!own && (uint32_t)raw[i].literal >= literals.length))
            return -EINVAL;
        uintptr_t shared =
            own ? own_function(heap, deoptimization) : element(heap, &literals, raw[i].literal);
        out->functions[i] =
            (struct inlined_function){v8_bytecode_of_shared(heap, shared), call.function, call.offset};
    }
    out->function_count = rc ? 0 : count;
    return rc;
}

static int decode_functions(const struct v8_heap *heap, const struct v8_array *deoptimization,
                            struct inlining *out)
{
    struct v8_array bytes;
    uintptr_t tagged = element(heap, deoptimization, heap->layout->inlining_positions);
    int rc = v8_array_bytes(heap, tagged, INLINING_LIMIT * (uint32_t)sizeof(struct raw_function), &bytes);
    if (rc || bytes.length % sizeof(struct raw_function)) return -EINVAL;
    uint32_t count = bytes.length / (uint32_t)sizeof(struct raw_function);
    if (!count) return 0;
    struct raw_function *raw = heap_alloc(bytes.length);
    out->functions = heap_alloc(count * sizeof *out->functions);
    if (!raw || !out->functions)
        rc = -ENOMEM;
    else if (v8_heap_read(heap, bytes.data, raw, bytes.length))
        rc = -EINVAL;
    else
        rc = convert_functions(heap, raw, count, deoptimization, out);
    heap_free(raw);
    return rc;
}

static int decode_positions(const struct v8_heap *heap, uintptr_t code, size_t code_len, struct inlining *out)
{
    struct v8_array bytes;
    uintptr_t tagged = v8_object_word(heap, code, heap->layout->position_table);
    if (v8_array_bytes(heap, tagged, TABLE_LIMIT, &bytes)) return -EINVAL;
    uint32_t limit = bytes.length / ENTRY_BYTES_MIN;
    if (limit > INLINING_LIMIT) limit = INLINING_LIMIT;
    if (!limit) return 0;
    uint8_t *table = heap_alloc(bytes.length);
    struct inlined_position *positions = heap_alloc(limit * sizeof *positions);
    int count = -ENOMEM;
    if (table && positions)
        count = v8_heap_read(heap, bytes.data, table, bytes.length)
                    ? -EINVAL
                    : position_table_decode((enum v8_position_encoding)heap->layout->position_encoding, table,
                                            bytes.length, code_len, out->function_count, positions, limit);
    heap_free(table);
    if (count <= 0) {
        heap_free(positions);
        return count;
    }
    out->positions = heap_realloc(positions, (size_t)count * sizeof *positions);
    if (!out->positions) out->positions = positions;
    out->position_count = (uint32_t)count;
    return 0;
}

static int layout_is_proven(void)
{
    return __atomic_load_n(&decoder.codes, __ATOMIC_RELAXED) >= PROVING_CODES &&
           __atomic_load_n(&decoder.functions, __ATOMIC_RELAXED) >= PROVING_FUNCTIONS;
}

/* A contradiction takes the proof back. */
static void count_proof(int rc, const struct inlining *inlining)
{
    if (rc == -EINVAL) {
        __atomic_store_n(&decoder.codes, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&decoder.functions, 0, __ATOMIC_RELAXED);
        return;
    }
    if (rc || layout_is_proven()) return;
    uint32_t followed = 0;
    for (uint32_t i = 0; i < inlining->function_count; i++) followed += inlining->functions[i].bytecode != 0;
    __atomic_add_fetch(&decoder.codes, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&decoder.functions, followed, __ATOMIC_RELAXED);
}

/* The deoptimization data of |code|: 0, or -EINVAL when it is not optimized code. */
static int open_deoptimization(const struct v8_heap *heap, uintptr_t code, struct v8_array *deoptimization)
{
    uintptr_t tagged = v8_object_word(heap, code, heap->layout->deoptimization_data);
    int rc = v8_array_words(heap, tagged, DEOPTIMIZATION_LIMIT, deoptimization);
    return rc || deoptimization->length < DEOPTIMIZATION_MIN ? -EINVAL : 0;
}

static int decode(const struct v8_heap *heap, uintptr_t code, size_t code_len,
                  const struct v8_array *deoptimization, struct inlining *out)
{
    int rc = decode_functions(heap, deoptimization, out);
    if (!rc) rc = decode_positions(heap, code, code_len, out);
    return rc;
}

int inlining_decode(uintptr_t code_start, size_t code_len, int is_sure, struct inlining *out)
{
    const struct v8_heap heap = {&decoder.layout, is_sure && layout_is_proven()};
    struct v8_array deoptimization;
    memset(out, 0, sizeof *out);
    if (!decoder.ready) return -ENOTSUP;
    uintptr_t code = v8_code_of(&heap, code_start, code_len);
    if (open_deoptimization(&heap, code, &deoptimization)) return -EINVAL;
    int rc = decode(&heap, code, code_len, &deoptimization, out);
    count_proof(rc, out);
    if (rc) inlining_free(out);
    return rc;
}

/* The mark of |code|'s tier: it is optimized code. */
static char mark_of(const struct v8_heap *heap, uintptr_t code)
{
    const struct v8_layout *layout = heap->layout;
    if (!layout->turbofan_kind) return '*';
    uintptr_t flags = v8_object_word(heap, code, layout->instruction_size - V8_FLAGS_BEFORE_SIZE);
    return (int32_t)(flags & V8_KIND_MASK) == layout->turbofan_kind ? '*' : '+';
}

int inlining_find(uintptr_t pc, uintptr_t floor, struct found_code *found)
{
    const struct v8_heap heap = {&decoder.layout, 0};
    struct v8_array deoptimization;
    memset(found, 0, sizeof *found);
    if (!decoder.ready) return -ENOTSUP;
    found->start = v8_code_around(&decoder.layout, pc, floor, &found->length);
    if (!found->start) return -ENOENT;
    uintptr_t code = v8_code_of(&heap, found->start, found->length);
    if (open_deoptimization(&heap, code, &deoptimization)) return -EINVAL;
    found->bytecode = v8_bytecode_of_shared(&heap, own_function(&heap, &deoptimization));
    if (!found->bytecode) return -ENOENT;
    found->mark = mark_of(&heap, code);
    int rc = decode(&heap, code, found->length, &deoptimization, &found->inlining);
    if (rc) inlining_free(&found->inlining);
    return rc;
}

void inlining_free(struct inlining *inlining)
{
    heap_free(inlining->functions);
    heap_free(inlining->positions);
    memset(inlining, 0, sizeof *inlining);
}
