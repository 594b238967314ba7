#include "node/baseline.h"

#include <errno.h>
#include <string.h>

#include "node/bytecode_sizes.h"
#include "node/position_table.h"
#include "node/v8_object.h"
#include "sys/heap.h"

enum {
    BYTES_LIMIT = 1024 * 1024, /* of bytecode, or of a table, of one function */
    ENTRY_BYTES_MIN = 2,       /* in a position table */
    PROVING_CODES = 16,        /* decoded, before loads are plain: see v8_object.h */
    TAIL_LIMIT = 8,            /* bytes behind the last bytecode's machine code: padding, 3 were seen */
    CONTRADICTIONS_LIMIT = 4   /* then this V8 is taken for another than its version says */
};

static struct {
    struct v8_layout layout;
    const struct bytecode_sizes *sizes; /* NULL: nothing is decoded */
    uint32_t decoded, contradictions;   /* isolates' threads count together */
} decoder;

/* Copies of what belongs to one function. */
struct parts {
    uint8_t *offsets, *bytecode, *positions;
    uint32_t offsets_len, bytecode_len, positions_len;
};

/* The walk over bytecodes and their machine code, side by side. */
struct walk {
    const uint8_t *offset, *offsets_end;
    uint64_t pc;
    uint32_t bytecode; /* offset */
    const struct inlined_position *position, *positions_end;
    const struct inlined_position *current; /* of the bytecode, NULL: none so far */
};

int baseline_prepare(const char *version, void *(*lookup)(const char *))
{
    int rc = v8_layout_find(version, lookup, &decoder.layout);
    decoder.sizes = rc ? NULL : bytecode_sizes_of(version);
    decoder.decoded = decoder.contradictions = 0;
    return decoder.sizes ? 0 : -ENOTSUP;
}

/* "JS:^f", "LazyCompile:^f". */
static int is_baseline(const struct v8_jit_code_event *event)
{
    if (event->code_type != V8_JIT_CODE) return 0;
    const char *mark = memchr(event->name.text, ':', event->name.len);
    return mark && mark + 1 < event->name.text + event->name.len && mark[1] == '^';
}

static int copy_bytes(const struct v8_heap *heap, uintptr_t from, uint32_t len, uint8_t **copy)
{
    *copy = heap_alloc(len + 1);
    if (!*copy) return -ENOMEM;
    return v8_heap_read(heap, from, *copy, len) ? -EINVAL : 0;
}

static int copy_array(const struct v8_heap *heap, uintptr_t tagged, uint8_t **copy, uint32_t *len)
{
    struct v8_array bytes;
    if (v8_array_bytes(heap, tagged, BYTES_LIMIT, &bytes)) return -EINVAL;
    *len = bytes.length;
    return copy_bytes(heap, bytes.data, bytes.length, copy);
}

/* -ENOENT: V8 has no source positions of this function, or the bytecode is gone. */
static int copy_parts(const struct v8_heap *heap, const struct v8_jit_code_event *event, struct parts *parts)
{
    const struct v8_layout *layout = heap->layout;
    uintptr_t code = v8_code_of(heap, event->code_start, event->code_len);
    uintptr_t first = v8_bytecode_of_shared(heap, v8_object_word(heap, (uintptr_t)event->script, 0));
    if (!code) return -EINVAL;
    if (!first) return -ENOENT;
    uintptr_t bytecode = first - (uintptr_t)layout->bytecode_data;
    uintptr_t length = v8_object_word(heap, bytecode, V8_ARRAY_LENGTH);
    if ((uint32_t)length || length >> V8_SMI_SHIFT > BYTES_LIMIT) return -EINVAL;
    parts->bytecode_len = (uint32_t)(length >> V8_SMI_SHIFT);
    if (copy_array(heap, v8_object_word(heap, bytecode, layout->bytecode_positions), &parts->positions,
                   &parts->positions_len))
        return -ENOENT;
    int rc = copy_bytes(heap, first, parts->bytecode_len, &parts->bytecode);
    if (rc) return rc;
    return copy_array(heap, v8_object_word(heap, code, layout->position_table), &parts->offsets,
                      &parts->offsets_len);
}

/* Moves |walk| over the machine code of one bytecode, or of the prologue: 0 or -EINVAL. */
static int pass_code(struct walk *walk, size_t code_len)
{
    uint64_t bytes;
    if (position_table_take(&walk->offset, walk->offsets_end, &bytes) || bytes > code_len - walk->pc)
        return -EINVAL;
    walk->pc += bytes;
    return 0;
}

static void add_place(struct code_inlining *out, const struct walk *walk)
{
    uint32_t count = out->place_count;
    if (!walk->current || walk->current->position == SCRIPT_NO_POSITION) return;
    uint32_t position = walk->current->position;
    if (count && out->places[count - 1].position == position) return;
    out->places[out->place_count++] = (struct code_place){.offset = (uint32_t)walk->pc, .position = position};
}

/* Fills |out|, which has room for a place for each of the |count| |positions|. */
static int walk_bytecodes(const struct parts *parts, const struct inlined_position *positions, size_t count,
                          const struct v8_jit_code_event *event, struct code_inlining *out)
{
    struct walk walk = {.offset = parts->offsets,
                        .offsets_end = parts->offsets + parts->offsets_len,
                        .position = positions,
                        .positions_end = positions + count};
    if (pass_code(&walk, event->code_len)) return -EINVAL;
    while (walk.bytecode < parts->bytecode_len) {
        size_t size = bytecode_size(decoder.sizes, parts->bytecode + walk.bytecode,
                                    parts->bytecode_len - walk.bytecode);
        if (walk.position < walk.positions_end && walk.position->pc_offset <= walk.bytecode) {
            if (walk.position->pc_offset != walk.bytecode) return -EINVAL;
            walk.current = walk.position++;
            add_place(out, &walk);
        }
        if (!size || pass_code(&walk, event->code_len)) return -EINVAL;
        walk.bytecode += (uint32_t)size;
    }
    if (walk.offset != walk.offsets_end || walk.position != walk.positions_end) return -EINVAL;
    return event->code_len - walk.pc <= TAIL_LIMIT ? 0 : -EINVAL;
}

static int decode_parts(const struct parts *parts, const struct v8_jit_code_event *event,
                        struct code_inlining *out)
{
    uint32_t limit = parts->positions_len / ENTRY_BYTES_MIN;
    struct inlined_position *positions = heap_alloc((limit + 1) * sizeof *positions);
    out->places = heap_alloc((limit + 1) * sizeof *out->places);
    int rc = positions && out->places ? 0 : -ENOMEM;
    if (!rc)
        rc = position_table_decode((enum v8_position_encoding)decoder.layout.position_encoding,
                                   parts->positions, parts->positions_len, parts->bytecode_len, 0, positions,
                                   limit);
    if (rc > 0) rc = walk_bytecodes(parts, positions, (size_t)rc, event, out);
    heap_free(positions);
    return rc;
}

static int is_given_up(void)
{
    return !decoder.sizes ||
           __atomic_load_n(&decoder.contradictions, __ATOMIC_RELAXED) >= CONTRADICTIONS_LIMIT;
}

/* A contradiction takes the proof back. */
static void count_proof(int rc)
{
    if (rc == -EINVAL) {
        __atomic_store_n(&decoder.decoded, 0, __ATOMIC_RELAXED);
        __atomic_add_fetch(&decoder.contradictions, 1, __ATOMIC_RELAXED);
    } else if (!rc && __atomic_load_n(&decoder.decoded, __ATOMIC_RELAXED) < PROVING_CODES) {
        __atomic_add_fetch(&decoder.decoded, 1, __ATOMIC_RELAXED);
    }
}

struct code_inlining *baseline_decode(const struct v8_jit_code_event *event)
{
    const struct v8_heap heap = {&decoder.layout,
                                 __atomic_load_n(&decoder.decoded, __ATOMIC_RELAXED) >= PROVING_CODES};
    struct parts parts = {0};
    if (!event->script || !is_baseline(event) || is_given_up()) return NULL;
    struct code_inlining *out = heap_zalloc(1, sizeof *out);
    int rc = out ? copy_parts(&heap, event, &parts) : -ENOMEM;
    if (!rc) rc = decode_parts(&parts, event, out);
    heap_free(parts.offsets);
    heap_free(parts.bytecode);
    heap_free(parts.positions);
    count_proof(rc);
    if (!rc && out->place_count) {
        struct code_place *places = heap_realloc(out->places, out->place_count * sizeof *places);
        if (places) out->places = places;
        return out;
    }
    if (out) heap_free(out->places);
    heap_free(out);
    return NULL;
}
