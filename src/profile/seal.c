/* Dropping what no sample refers to: mark from the samples down, number densely, move in place. */
#include <errno.h>
#include <string.h>

#include "profile/profile.h"
#include "sys/heap.h"

/* For each table: first 1 for an entry in use, then its new index. Entry 0 stays 0. */
struct remap {
    uint32_t *stacks, *label_sets, *locations, *functions, *mappings, *strings;
};

static int has_value(const struct profile *p, uint32_t sample)
{
    const int64_t *values = profile_sample_values(p, sample);
    for (unsigned i = 0; i < p->kind->value_count; i++)
        if (values[i]) return 1;
    return 0;
}

static void drop_empty_samples(struct profile *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->samples.count; i++) {
        if (!has_value(p, i)) continue;
        p->samples.items[kept] = p->samples.items[i];
        memmove(profile_sample_values(p, kept), profile_sample_values(p, i),
                p->kind->value_count * sizeof(int64_t));
        kept++;
    }
    p->samples.count = kept;
}

static void mark_from_samples(const struct profile *p, struct remap *used)
{
    for (uint32_t i = 0; i < p->samples.count; i++) {
        used->stacks[p->samples.items[i].stack] = 1;
        used->label_sets[p->samples.items[i].labels] = 1;
    }
    for (uint32_t i = 1; i < p->stacks.count; i++) {
        const struct profile_stack *s = &p->stacks.items[i];
        for (uint32_t k = 0; used->stacks[i] && k < s->count; k++)
            used->locations[p->stacks.locations[s->at + k]] = 1;
    }
    for (uint32_t i = 1; i < p->locations.count; i++) {
        const struct profile_location *l = &p->locations.items[i];
        if (!used->locations[i]) continue;
        used->mappings[l->mapping] = 1;
        for (uint32_t k = 0; k < l->line_count; k++)
            used->functions[p->locations.lines[l->line_at + k].function] = 1;
    }
    if (p->mappings.count > 1) used->mappings[1] = 1; /* the main binary */
}

static void mark_strings(const struct profile *p, struct remap *used)
{
    uint32_t *s = used->strings;
    for (unsigned i = 0; i < p->kind->value_count; i++) s[p->types[i].type] = s[p->types[i].unit] = 1;
    s[p->period_type.type] = s[p->period_type.unit] = 1;
    for (uint32_t i = 0; i < p->comment_count; i++) s[p->comments[i]] = 1;
    for (uint32_t i = 1; i < p->mappings.count; i++)
        if (used->mappings[i]) s[p->mappings.items[i].filename] = s[p->mappings.items[i].build_id] = 1;
    for (uint32_t i = 1; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        if (used->functions[i]) s[f->name] = s[f->system_name] = s[f->filename] = 1;
    }
    for (uint32_t i = 1; i < p->label_sets.count; i++) {
        const struct profile_label_set *set = &p->label_sets.items[i];
        for (uint32_t k = 0; used->label_sets[i] && k < set->count; k++) {
            const struct profile_label *label = &p->label_sets.labels[set->at + k];
            s[label->key] = s[label->text] = 1;
        }
    }
}

static void number(uint32_t *map, uint32_t count)
{
    uint32_t next = 1;
    map[0] = 0;
    for (uint32_t i = 1; i < count; i++)
        if (map[i]) map[i] = next++;
}

/* New indexes are never above the old ones, so every table is moved upwards from its start. */
static void move_strings(struct profile *p, const struct remap *to)
{
    struct profile_strings *t = &p->strings;
    uint32_t count = 1, used = 1;
    for (uint32_t i = 1; i < t->count; i++) {
        if (!to->strings[i]) continue;
        uint32_t length = t->items[i].length;
        memmove(t->bytes + used, t->bytes + t->items[i].at, length + 1);
        t->items[count++] = (struct profile_string){used, length};
        used += length + 1;
    }
    t->count = count;
    t->bytes_used = used;
    for (unsigned i = 0; i < p->kind->value_count; i++) {
        p->types[i].type = to->strings[p->types[i].type];
        p->types[i].unit = to->strings[p->types[i].unit];
    }
    p->period_type.type = to->strings[p->period_type.type];
    p->period_type.unit = to->strings[p->period_type.unit];
    for (uint32_t i = 0; i < p->comment_count; i++) p->comments[i] = to->strings[p->comments[i]];
}

static void move_mappings_and_functions(struct profile *p, const struct remap *to)
{
    uint32_t count = 1;
    for (uint32_t i = 1; i < p->mappings.count; i++) {
        struct profile_mapping m = p->mappings.items[i];
        if (!to->mappings[i]) continue;
        m.filename = to->strings[m.filename];
        m.build_id = to->strings[m.build_id];
        p->mappings.items[count++] = m;
    }
    p->mappings.count = count;
    count = 1;
    for (uint32_t i = 1; i < p->functions.count; i++) {
        struct profile_function f = p->functions.items[i];
        if (!to->functions[i]) continue;
        f.name = to->strings[f.name];
        f.system_name = to->strings[f.system_name];
        f.filename = to->strings[f.filename];
        p->functions.items[count++] = f;
    }
    p->functions.count = count;
}

/* Lines stay where they are: each belongs to one location, and readers go through line_at. */
static void move_locations(struct profile *p, const struct remap *to)
{
    uint32_t count = 1;
    for (uint32_t i = 1; i < p->locations.count; i++) {
        struct profile_location l = p->locations.items[i];
        if (!to->locations[i]) continue;
        l.mapping = to->mappings[l.mapping];
        for (uint32_t k = 0; k < l.line_count; k++) {
            struct profile_line *line = &p->locations.lines[l.line_at + k];
            line->function = to->functions[line->function];
        }
        p->locations.items[count++] = l;
    }
    p->locations.count = count;
}

static void move_stacks(struct profile *p, const struct remap *to)
{
    struct profile_stacks *t = &p->stacks;
    uint32_t count = 1, used = 0;
    for (uint32_t i = 1; i < t->count; i++) {
        struct profile_stack s = t->items[i];
        if (!to->stacks[i]) continue;
        for (uint32_t k = 0; k < s.count; k++) t->locations[used + k] = to->locations[t->locations[s.at + k]];
        t->items[count++] = (struct profile_stack){used, s.count};
        used += s.count;
    }
    t->count = count;
    t->locations_used = used;
}

static void move_label_sets(struct profile *p, const struct remap *to)
{
    struct profile_label_sets *t = &p->label_sets;
    uint32_t count = 1, used = 0;
    for (uint32_t i = 1; i < t->count; i++) {
        struct profile_label_set s = t->items[i];
        if (!to->label_sets[i]) continue;
        for (uint32_t k = 0; k < s.count; k++) {
            struct profile_label label = t->labels[s.at + k];
            label.key = to->strings[label.key];
            label.text = to->strings[label.text];
            t->labels[used + k] = label;
        }
        t->items[count++] = (struct profile_label_set){used, s.count};
        used += s.count;
    }
    t->count = count;
    t->labels_used = used;
}

static void give_indexes_back(struct profile *p)
{
    struct index *all[] = {&p->strings.index, &p->mappings.index,   &p->functions.index, &p->locations.index,
                           &p->stacks.index,  &p->label_sets.index, &p->samples.index};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        p->bytes -= (size_t)all[i]->capacity * sizeof(struct index_slot);
        index_clear(all[i]);
    }
}

int profile_seal(struct profile *p)
{
    if (p->sealed) return 0;
    size_t total = (size_t)p->stacks.count + p->label_sets.count + p->locations.count + p->functions.count +
                   p->mappings.count + p->strings.count;
    uint32_t *map = heap_zalloc(total, sizeof *map);
    if (!map) return -ENOMEM;
    struct remap to;
    to.stacks = map;
    to.label_sets = to.stacks + p->stacks.count;
    to.locations = to.label_sets + p->label_sets.count;
    to.functions = to.locations + p->locations.count;
    to.mappings = to.functions + p->functions.count;
    to.strings = to.mappings + p->mappings.count;
    drop_empty_samples(p);
    mark_from_samples(p, &to);
    mark_strings(p, &to);
    number(to.stacks, p->stacks.count);
    number(to.label_sets, p->label_sets.count);
    number(to.locations, p->locations.count);
    number(to.functions, p->functions.count);
    number(to.mappings, p->mappings.count);
    number(to.strings, p->strings.count);
    for (uint32_t i = 0; i < p->samples.count; i++) {
        p->samples.items[i].stack = to.stacks[p->samples.items[i].stack];
        p->samples.items[i].labels = to.label_sets[p->samples.items[i].labels];
    }
    move_stacks(p, &to);
    move_label_sets(p, &to);
    move_locations(p, &to);
    move_mappings_and_functions(p, &to);
    move_strings(p, &to);
    heap_free(map);
    give_indexes_back(p);
    p->sealed = 1;
    return 0;
}
