#include "node/script_lines.h"

#include <errno.h>
#include <string.h>

#include "node/isolate.h"
#include "node/v8_object.h"
#include "sys/hash.h"
#include "sys/heap.h"
#include "sys/lock.h"

enum {
    BUCKETS = 16 * 1024,
    LINES_LIMIT = 100 * 1000 * 1000,
    PROBES = 3 /* lines that V8 is asked for, too */
};

struct script_lines {
    struct script_lines *next, **link; /* in its bucket, and what points to this one */
    uint32_t isolate;
    int script_id;
    uint32_t references;
    uint32_t first_line, first_column; /* of position 0: vm.Script can move them */
    uint32_t count;
    uint32_t ends[]; /* positions of the lines' last characters, their ends; the last is the script's length
                      */
};

static struct {
    struct lock lock;
    struct script_lines **buckets; /* NULL: no script yet */
} tables;

static struct {
    int32_t script;          /* SharedFunctionInfo.script; 0: not told */
    int32_t line_ends;       /* Script.line_ends */
    int32_t script_type;     /* instance type */
    struct v8_layout layout; /* types of arrays alone */
} told;

static int32_t number(void *(*lookup)(const char *), const char *name)
{
    const int *value = lookup(name);
    return value ? *value : 0;
}

void script_lines_prepare(void *(*lookup)(const char *))
{
    memset(&told, 0, sizeof told);
    told.line_ends = number(lookup, "v8dbg_class_Script__line_ends__Object");
    told.script_type = number(lookup, "v8dbg_type_Script__SCRIPT_TYPE");
    told.layout.types.fixed_array = number(lookup, "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE");
    if (!told.line_ends || !told.script_type || !told.layout.types.fixed_array ||
        !node_process.v8.unbound_script_id)
        return;
    told.script = number(lookup, "v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_");
    if (!told.script)
        told.script = number(lookup, "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject");
}

static struct script_lines **bucket_of(uint32_t isolate, int script_id)
{
    return &tables.buckets[hash_mix((uint64_t)isolate << 32 | (uint32_t)script_id) % BUCKETS];
}

static struct script_lines *find(uint32_t isolate, int script_id)
{
    lock_acquire(&tables.lock);
    struct script_lines *lines = tables.buckets ? *bucket_of(isolate, script_id) : NULL;
    while (lines && (lines->isolate != isolate || lines->script_id != script_id)) lines = lines->next;
    if (lines) lines->references++;
    lock_release(&tables.lock);
    return lines;
}

/* The ends of lines that V8 has made for |script|: 0 or -EINVAL. */
static int open_ends(const struct v8_heap *heap, void *script, struct v8_array *ends)
{
    uintptr_t shared = v8_object_untag(v8_object_word(heap, (uintptr_t)script, 0));
    uintptr_t object = v8_object_untag(v8_object_word(heap, shared, told.script));
    if (v8_object_type(heap, object) != told.script_type) return -1;
    return v8_array_words(heap, v8_object_word(heap, object, told.line_ends), LINES_LIMIT, ends);
}

/* True if V8 has line ends where the table has them. */
static int is_confirmed(const struct script_lines *lines, void *script)
{
    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t at = (uint32_t)((uint64_t)(lines->count - 1) * i / (PROBES - 1));
        int line = node_process.v8.unbound_script_line(script, (int)lines->ends[at]);
        if (line < 0 || (uint32_t)line != lines->first_line + at) return 0;
    }
    return 1;
}

static struct script_lines *make(uint32_t isolate, int script_id, void *script)
{
    const struct v8_heap heap = {&told.layout, 1}; /* |script| is a handle of V8's own */
    struct v8_array ends;
    int first_line = node_process.v8.unbound_script_line(script, 0); /* V8 makes the array now */
    if (first_line < 0 || open_ends(&heap, script, &ends) || !ends.length) return NULL;
    struct script_lines *lines = heap_alloc(sizeof *lines + ends.length * sizeof *lines->ends);
    if (!lines) return NULL;
    *lines = (struct script_lines){.isolate = isolate,
                                   .script_id = script_id,
                                   .references = 1,
                                   .first_line = (uint32_t)first_line,
                                   .count = ends.length};
    if (node_process.v8.unbound_script_column) {
        int column = node_process.v8.unbound_script_column(script, 0);
        lines->first_column = column < 0 ? 0 : (uint32_t)column;
    }
    for (uint32_t i = 0; i < ends.length; i++)
        lines->ends[i] = (uint32_t)(((const uintptr_t *)ends.data)[i] >> V8_SMI_SHIFT);
    if (is_confirmed(lines, script)) return lines;
    heap_free(lines);
    return NULL;
}

/* Into its bucket: 0 or -ENOMEM. */
static int keep(struct script_lines *lines)
{
    lock_acquire(&tables.lock);
    if (!tables.buckets) tables.buckets = heap_map(BUCKETS * sizeof *tables.buckets);
    int rc = tables.buckets ? 0 : -ENOMEM;
    if (!rc) {
        lines->link = bucket_of(lines->isolate, lines->script_id);
        lines->next = *lines->link;
        if (lines->next) lines->next->link = &lines->next;
        *lines->link = lines;
    }
    lock_release(&tables.lock);
    return rc;
}

struct script_lines *script_lines_get(uint32_t isolate, void *script)
{
    if (!script || !told.script) return NULL;
    int script_id = node_process.v8.unbound_script_id(script);
    struct script_lines *lines = find(isolate, script_id);
    if (lines) return lines;
    lines = make(isolate, script_id, script);
    if (!lines || !keep(lines)) return lines;
    heap_free(lines);
    return NULL;
}

struct script_lines *script_lines_share(struct script_lines *lines)
{
    if (!lines) return NULL;
    lock_acquire(&tables.lock);
    lines->references++;
    lock_release(&tables.lock);
    return lines;
}

void script_lines_release(struct script_lines *lines)
{
    if (!lines) return;
    lock_acquire(&tables.lock);
    int is_last = --lines->references == 0;
    if (is_last) {
        *lines->link = lines->next;
        if (lines->next) lines->next->link = lines->link;
    }
    lock_release(&tables.lock);
    if (is_last) heap_free(lines);
}

struct code_spot script_lines_spot(const struct script_lines *lines, uint32_t position)
{
    if (!lines || position > lines->ends[lines->count - 1]) return (struct code_spot){0, 0};
    uint32_t low = 0, high = lines->count - 1; /* the first line that does not end before |position| */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lines->ends[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t column = low ? position - lines->ends[low - 1] : position + lines->first_column + 1;
    return (struct code_spot){lines->first_line + low + 1, column};
}

void script_lines_after_fork(void)
{
    memset(&tables, 0, sizeof tables); /* the memory is the parent's heap, which the child has forgotten */
}
