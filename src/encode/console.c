#include "encode/console.h"

#include <errno.h>
#include <string.h>

#include "config/values.h"
#include "sys/fmt.h"
#include "sys/heap.h"

struct scale {
    uint64_t size; /* from this value on */
    const char *name;
};

static const struct scale time_scales[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
static const struct scale byte_scales[] = {{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}};

/* Two decimals, cut and not rounded; whole units have none. */
static void scaled(uint64_t value, int negative, const struct scale *scale, char *out)
{
    const char *sign = negative ? "-" : "";
    while (scale->size > 1 && value < scale->size) scale++;
    unsigned long long whole = value / scale->size;
    unsigned hundredths = (unsigned)(value % scale->size * 100 / scale->size);
    if (scale->size == 1)
        fmt_text(out, CONSOLE_AMOUNT_MAX, "%s%llu %s", sign, whole, scale->name);
    else
        fmt_text(out, CONSOLE_AMOUNT_MAX, "%s%llu.%02u %s", sign, whole, hundredths, scale->name);
}

const char *console_amount(int64_t value, const char *unit, char *out)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (!strcmp(unit, "nanoseconds"))
        scaled(magnitude, value < 0, time_scales, out);
    else if (!strcmp(unit, "bytes"))
        scaled(magnitude, value < 0, byte_scales, out);
    else if (!strcmp(unit, "count") || !*unit)
        fmt_text(out, CONSOLE_AMOUNT_MAX, "%lld", (long long)value);
    else
        fmt_text(out, CONSOLE_AMOUNT_MAX, "%lld %s", (long long)value, unit);
    return out;
}

/* "memory=2 ring=12": what this profile lost, and what the collector's comments "dropped: cause=count" say.
 */
static int encode_drops(const struct profile *p, struct encode_buffer *out)
{
    static const char prefix[] = "dropped: ";
    int rc = 0, first = 1;
    if (p->dropped) {
        rc = encode_buffer_print(out, ", dropped memory=%llu", (unsigned long long)p->dropped);
        first = 0;
    }
    for (uint32_t i = 0; i < p->comment_count && !rc; i++) {
        const char *text = profile_string_text(p, p->comments[i]);
        if (strncmp(text, prefix, sizeof prefix - 1) != 0) continue;
        char safe[CONSOLE_NAME_MAX];
        text += sizeof prefix - 1;
        value_for_message(text, strlen(text), safe, sizeof safe);
        rc = encode_buffer_print(out, "%s%s", first ? ", dropped " : " ", safe);
        first = 0;
    }
    return rc;
}

/* Ends the line that began at |start|, cut to CONSOLE_LINE_MAX. */
static int end_line(struct encode_buffer *out, size_t start)
{
    if (out->size - start > CONSOLE_LINE_MAX - 1) out->size = start + CONSOLE_LINE_MAX - 1;
    return encode_buffer_append(out, "\n", 1);
}

int console_encode_resource(const struct resource *resource, int pid, struct encode_buffer *out)
{
    size_t start = out->size;
    int rc = encode_buffer_print(out, "otelprof[%d]: resource:", pid);
    for (size_t i = 0; i < resource->count && !rc; i++) {
        char value[CONSOLE_NAME_MAX], safe[CONSOLE_NAME_MAX], key[CONSOLE_NAME_MAX];
        size_t len = resource_value_text(&resource->items[i], value, sizeof value);
        value_for_message(value, len, safe, sizeof safe);
        value_for_message(resource->items[i].key, strlen(resource->items[i].key), key, sizeof key);
        rc = encode_buffer_print(out, " %s=%s", key, safe);
    }
    return rc ? rc : end_line(out, start);
}

int console_encode_summary(const struct profile *p, int pid, struct encode_buffer *out)
{
    char amount[CONSOLE_AMOUNT_MAX];
    size_t start = out->size;
    int rc = encode_buffer_print(out, "otelprof[%d]: %s: %u stacks", pid, p->kind->name, p->samples.count);
    for (unsigned i = 0; i < p->kind->value_count && !rc; i++) {
        console_amount(profile_total(p, i), p->kind->values[i].unit, amount);
        rc = encode_buffer_print(out, ", %s %s", p->kind->values[i].type, amount);
    }
    if (!rc)
        rc = encode_buffer_print(out, " in %s", console_amount(p->duration_nanos, "nanoseconds", amount));
    if (!rc) rc = encode_drops(p, out);
    return rc ? rc : end_line(out, start);
}

int console_encode_tables(const struct profile *p, int pid, struct encode_buffer *out)
{
    char amount[CONSOLE_AMOUNT_MAX];
    size_t start = out->size;
    console_amount(p->period, p->kind->period_type.unit, amount);
    int rc = encode_buffer_print(
        out,
        "otelprof[%d]: %s: period %s %s; %u locations, %u functions, %u mappings, %u label sets, %u strings",
        pid, p->kind->name, p->kind->period_type.type, amount, p->locations.count - 1, p->functions.count - 1,
        p->mappings.count - 1, p->label_sets.count - 1, p->strings.count - 1);
    return rc ? rc : end_line(out, start);
}

/*
 * Self values by leaf: one cell for each function, then one for each location, for leaves without a name. The
 * zero cell takes samples without a stack.
 */
struct leaves {
    const struct profile *profile;
    int64_t *self;
    size_t count;
};

static size_t leaf_cell(const struct profile *p, uint32_t stack)
{
    const struct profile_stack *s = &p->stacks.items[stack];
    if (!s->count) return 0;
    uint32_t leaf = p->stacks.locations[s->at];
    const struct profile_location *l = &p->locations.items[leaf];
    return l->line_count ? p->locations.lines[l->line_at].function : p->functions.count + leaf;
}

static int leaves_fill(struct leaves *leaves, const struct profile *p)
{
    leaves->profile = p;
    leaves->count = (size_t)p->functions.count + p->locations.count;
    leaves->self = heap_zalloc(leaves->count, sizeof *leaves->self);
    if (!leaves->self) return -ENOMEM;
    unsigned last = p->kind->value_count - 1;
    for (uint32_t i = 0; i < p->samples.count; i++) {
        int64_t *self = &leaves->self[leaf_cell(p, p->samples.items[i].stack)];
        if (__builtin_add_overflow(*self, profile_sample_values(p, i)[last], self)) *self = INT64_MAX;
    }
    return 0;
}

/* Takes the largest cell out; its number, or leaves->count when none is above 0. */
static size_t leaves_take_largest(struct leaves *leaves, int64_t *self)
{
    size_t largest = leaves->count;
    *self = 0;
    for (size_t i = 0; i < leaves->count; i++)
        if (leaves->self[i] > *self) {
            *self = leaves->self[i];
            largest = i;
        }
    if (largest < leaves->count) leaves->self[largest] = 0;
    return largest;
}

static void name_of_function(const struct profile *p, uint32_t id, char *out, size_t size)
{
    char name[CONSOLE_NAME_MAX], file[CONSOLE_NAME_MAX];
    const struct profile_function *f = &p->functions.items[id];
    const char *text = profile_string_text(p, f->name ? f->name : f->system_name);
    value_for_message(text, strlen(text), name, sizeof name);
    text = profile_string_text(p, f->filename);
    value_for_message(text, strlen(text), file, sizeof file);
    if (*file && f->start_line)
        fmt_text(out, size, "%s %s:%lld", name, file, (long long)f->start_line);
    else
        fmt_text(out, size, "%s%s%s", name, *file ? " " : "", file);
}

static void name_of_location(const struct profile *p, uint32_t id, char *out, size_t size)
{
    const struct profile_location *l = &p->locations.items[id];
    const struct profile_mapping *m = &p->mappings.items[l->mapping];
    char safe[CONSOLE_NAME_MAX];
    const char *file = profile_string_text(p, m->filename), *base = strrchr(file, '/');
    if (base) file = base + 1;
    value_for_message(file, strlen(file), safe, sizeof safe);
    if (l->mapping)
        fmt_text(out, size, "%s+0x%llx", safe, (unsigned long long)(l->address - m->start + m->offset));
    else
        fmt_text(out, size, "0x%llx", (unsigned long long)l->address);
}

static void name_of_cell(const struct profile *p, size_t cell, char *out, size_t size)
{
    if (cell == 0)
        fmt_text(out, size, "[no stack]");
    else if (cell < p->functions.count)
        name_of_function(p, (uint32_t)cell, out, size);
    else
        name_of_location(p, (uint32_t)(cell - p->functions.count), out, size);
}

int console_encode_top(const struct profile *p, int pid, unsigned top, struct encode_buffer *out)
{
    struct leaves leaves;
    unsigned last = p->kind->value_count - 1;
    int64_t total = profile_total(p, last), self;
    int rc = leaves_fill(&leaves, p);
    for (unsigned rank = 1; rank <= top && !rc; rank++) {
        size_t cell = leaves_take_largest(&leaves, &self);
        if (cell == leaves.count) break;
        char amount[CONSOLE_AMOUNT_MAX], name[2 * CONSOLE_NAME_MAX + 32];
        size_t start = out->size;
        unsigned permille = total > 0 ? (unsigned)((double)self * 1000 / (double)total + 0.5) : 0;
        name_of_cell(p, cell, name, sizeof name);
        rc = encode_buffer_print(out, "otelprof[%d]: %s: %2u. %3u.%u %%  %s  %s", pid, p->kind->name, rank,
                                 permille / 10, permille % 10,
                                 console_amount(self, p->kind->values[last].unit, amount), name);
        if (!rc) rc = end_line(out, start);
    }
    heap_free(leaves.self);
    return rc;
}
