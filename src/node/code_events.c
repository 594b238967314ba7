#include "node/code_events.h"

#include <string.h>

#include "node/baseline.h"
#include "node/isolate.h"
#include "node/optimized.h"
#include "node/script_lines.h"
#include "symbol/v8name.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/lock.h"

enum {
    NAME_LIMIT = 1024, /* longer names are cut */
    QUEUE_LIMIT =
        64 * 1024 * 1024, /* bytes waiting at most; the background thread empties the list 4 times a second */
    READY_TABLES = 8
};

/* The positions of one piece of bytecode, between START_LINE_INFO and the ADDED event of the code itself. */
struct positions {
    uintptr_t code_start;
    size_t count, cap;
    struct {
        uint32_t offset, position;
    } * items;
};

static struct {
    struct lock lock;
    struct code_event *first, **last;
    size_t bytes;
    uint64_t dropped;
    struct positions *ready[READY_TABLES]; /* ended, waiting for their code */
    unsigned next_ready;
} queue = {.last = &queue.first};

static void positions_free(struct positions *positions)
{
    if (!positions) return;
    heap_free(positions->items);
    heap_free(positions);
}

static void positions_add(struct positions *positions, const struct v8_jit_code_event *event)
{
    if (!positions || event->line.position_type != 0) return;
    if (heap_grow(&positions->items, &positions->cap, positions->count + 1, sizeof *positions->items)) return;
    positions->items[positions->count].offset = (uint32_t)event->line.offset;
    positions->items[positions->count++].position = (uint32_t)event->line.position;
}

/* V8 gives the table's code address only at its end. */
static void positions_end(struct positions *positions, uintptr_t code_start)
{
    if (!positions) return;
    positions->code_start = code_start;
    lock_acquire(&queue.lock);
    struct positions *oldest = queue.ready[queue.next_ready];
    queue.ready[queue.next_ready] = positions;
    queue.next_ready = (queue.next_ready + 1) % READY_TABLES;
    lock_release(&queue.lock);
    positions_free(oldest);
}

static struct positions *positions_of(uintptr_t code_start)
{
    struct positions *found = NULL;
    lock_acquire(&queue.lock);
    for (unsigned i = 0; i < READY_TABLES && !found; i++) {
        if (!queue.ready[i] || queue.ready[i]->code_start != code_start) continue;
        found = queue.ready[i];
        queue.ready[i] = NULL;
    }
    lock_release(&queue.lock);
    return found;
}

/* "JS:*", "LazyCompile:*", "JS:o+'": TurboFan's and Maglev's marks. */
static int is_optimized(const struct v8_jit_code_event *event)
{
    if (event->code_type != V8_JIT_CODE) return 0;
    const char *mark = memchr(event->name.text, ':', event->name.len);
    size_t left = mark ? event->name.len - (size_t)(mark + 1 - event->name.text) : 0;
    if (left > 1 && mark[1] == 'o' && (mark[2] == '*' || mark[2] == '+')) return 1;
    return left && (mark[1] == '*' || mark[1] == '+');
}

static uint32_t take_lines(const struct positions *positions, struct code_line *lines)
{
    if (!positions) return 0;
    for (size_t i = 0; i < positions->count; i++)
        lines[i] = (struct code_line){positions->items[i].offset, positions->items[i].position};
    return (uint32_t)positions->count;
}

/* Until Node 18 V8 names a function by its line alone: ":COLUMN" into |text|, and its length; 0 elsewhere. */
static size_t missing_column(const struct v8_jit_code_event *event, const struct script_lines *lines,
                             char *text, size_t size)
{
    struct v8_name name;
    if (node_process.v8.unbound_script_column || !node_process.v8.function_position || !lines) return 0;
    v8name_parse(event->name.text, event->name.len, &name);
    if (!name.line || name.column || event->name.len > NAME_LIMIT) return 0;
    int position = node_process.v8.function_position(event->script);
    struct code_spot spot = script_lines_spot(lines, position < 0 ? SCRIPT_NO_POSITION : (uint32_t)position);
    return spot.column ? fmt_text(text, size, ":%u", spot.column) : 0;
}

static struct code *make_code(const struct v8_jit_code_event *event, int isolate)
{
    char column[16];
    struct positions *positions = event->code_type == V8_BYTE_CODE ? positions_of(event->code_start) : NULL;
    struct script_lines *script = script_lines_get((uint32_t)isolate, event->script);
    size_t column_len = missing_column(event, script, column, sizeof column);
    size_t name_len = event->name.len < NAME_LIMIT ? event->name.len : NAME_LIMIT;
    size_t room = positions ? positions->count : 0;
    struct code *code = heap_alloc(sizeof *code + room * sizeof *code->lines + name_len + column_len);
    if (code) {
        *code = (struct code){.length = (uint32_t)event->code_len,
                              .type = (uint32_t)event->code_type,
                              .name_len = (uint32_t)(name_len + column_len),
                              .script = script};
        code->inlining = is_optimized(event) ? optimized_decode(event) : baseline_decode(event);
        code->line_count = take_lines(positions, code->lines);
        char *name = (char *)&code->lines[code->line_count];
        memcpy(name, event->name.text, name_len);
        memcpy(name + name_len, column, column_len);
    } else {
        script_lines_release(script);
    }
    positions_free(positions);
    return code;
}

/* The address alone does not tell: a new worker's isolate is often where the last one's was, whose entry is
 * kept until its samples are resolved. */
static int isolate_index(const v8_isolate *v8)
{
    int closed = -1;
    for (int i = 0; i < NODE_MAX_ISOLATES; i++) {
        if (node_process.isolates[i].isolate != v8) continue;
        uint32_t state = __atomic_load_n(&node_process.isolates[i].state, __ATOMIC_ACQUIRE);
        if (state == ISOLATE_REQUESTED || state == ISOLATE_ATTACHED) return i;
        if (state != ISOLATE_FREE) closed = i;
    }
    return closed;
}

static size_t event_bytes(const struct code_event *event)
{
    return sizeof *event + (event->code ? sizeof *event->code + event->code->name_len : 0);
}

static void release(struct code_event *event)
{
    code_free(event->code);
    inlining_free(&event->found.inlining);
}

/* Queues a copy of |template| with the next number, or gives back what it owns. */
static void append(struct code_event *template)
{
    struct code_event *event = heap_alloc(sizeof *event);
    if (!event) {
        release(template);
        __atomic_add_fetch(&queue.dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    *event = *template;
    lock_acquire(&queue.lock);
    int full = queue.bytes > QUEUE_LIMIT;
    if (!full) {
        event->sequence = __atomic_add_fetch(&node_process.sequence, 1, __ATOMIC_ACQ_REL);
        queue.bytes += event_bytes(event);
        *queue.last = event;
        queue.last = &event->next;
    } else {
        queue.dropped++;
    }
    lock_release(&queue.lock);
    if (!full) return;
    release(event);
    heap_free(event);
}

static void append_told(const struct v8_jit_code_event *told)
{
    int isolate = isolate_index(told->isolate), is_added = told->type == V8_CODE_ADDED;
    struct code *code = isolate >= 0 && is_added ? make_code(told, isolate) : NULL;
    if (isolate < 0 || (is_added && !code)) {
        __atomic_add_fetch(&queue.dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    append(&(struct code_event){.type = (uint32_t)told->type,
                                .isolate = (uint32_t)isolate,
                                .start = told->code_start,
                                .new_start = told->type == V8_CODE_MOVED ? told->new_code_start : 0,
                                .code = code});
}

void code_events_found(uint32_t isolate, const struct found_code *found)
{
    append(
        &(struct code_event){.type = CODE_FOUND, .isolate = isolate, .start = found->start, .found = *found});
}

void code_events_receive(struct v8_jit_code_event *event)
{
    switch (event->type) {
    case V8_CODE_START_LINE_INFO:
        event->user_data = heap_zalloc(1, sizeof(struct positions));
        break;
    case V8_CODE_ADD_LINE_POS_INFO:
        positions_add(event->user_data, event);
        break;
    case V8_CODE_END_LINE_INFO:
        if (event->code_type == V8_BYTE_CODE)
            positions_end(event->user_data, event->code_start);
        else
            positions_free(event->user_data);
        break;
    case V8_CODE_ADDED:
    case V8_CODE_MOVED:
    case V8_CODE_REMOVED:
        append_told(event);
        break;
    }
}

struct code_event *code_events_take(uint64_t sequence)
{
    lock_acquire(&queue.lock);
    struct code_event *taken = queue.first, **end = &queue.first;
    while (*end && (*end)->sequence <= sequence) {
        queue.bytes -= event_bytes(*end);
        end = &(*end)->next;
    }
    if (end == &queue.first) {
        taken = NULL;
    } else {
        queue.first = *end;
        *end = NULL;
        if (!queue.first) queue.last = &queue.first;
    }
    lock_release(&queue.lock);
    return taken;
}

int code_events_awaits(uint32_t isolate, uintptr_t start)
{
    int awaits = 0;
    lock_acquire(&queue.lock);
    for (const struct code_event *event = queue.first; event && !awaits; event = event->next)
        awaits = event->isolate == isolate &&
                 (event->type == V8_CODE_MOVED ? event->new_start : event->start) == start;
    lock_release(&queue.lock);
    return awaits;
}

uint64_t code_events_dropped(void)
{
    return __atomic_load_n(&queue.dropped, __ATOMIC_RELAXED);
}

void code_events_after_fork(void)
{
    lock_reset(&queue.lock);
    queue.first = NULL; /* the memory is the parent's heap, which the child has forgotten */
    queue.last = &queue.first;
    queue.bytes = 0;
    memset(queue.ready, 0, sizeof queue.ready);
    script_lines_after_fork();
}
