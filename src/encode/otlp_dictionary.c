#include "encode/otlp_dictionary.h"

#include <errno.h>
#include <string.h>

#include "sys/hash.h"
#include "sys/heap.h"

static const char frame_type_key[] = "profile.frame.type", build_id_key[] = "process.executable.build_id.gnu";

enum { MAX_EXTRAS = OTLP_MAX_FIGURES + 2 };

static int allocate(struct otlp_dictionary *d, const struct profile *p)
{
    size_t count = (size_t)p->stacks.count + p->label_sets.count + p->locations.count + p->functions.count +
                   2 * (size_t)p->mappings.count + p->label_sets.labels_used + p->strings.count + MAX_EXTRAS;
    d->stacks = heap_zalloc(count, sizeof *d->stacks);
    d->extras = heap_zalloc(MAX_EXTRAS, sizeof *d->extras);
    if (!d->stacks || !d->extras) return -ENOMEM;
    d->label_sets = d->stacks + p->stacks.count;
    d->locations = d->label_sets + p->label_sets.count;
    d->functions = d->locations + p->locations.count;
    d->mappings = d->functions + p->functions.count;
    d->build_ids = d->mappings + p->mappings.count;
    d->label_attributes = d->build_ids + p->mappings.count;
    d->strings = d->label_attributes + p->label_sets.labels_used;
    return 0;
}

static void mark_stack(struct otlp_dictionary *d, uint32_t id)
{
    const struct profile_stacks *t = &d->profile->stacks;
    if (d->stacks[id]) return;
    d->stacks[id] = 1;
    for (uint32_t k = 0; k < t->items[id].count; k++) d->locations[t->locations[t->items[id].at + k]] = 1;
}

static void mark_locations(struct otlp_dictionary *d)
{
    const struct profile *p = d->profile;
    for (uint32_t i = 1; i < p->locations.count; i++) {
        const struct profile_location *l = &p->locations.items[i];
        if (!d->locations[i]) continue;
        d->mappings[l->mapping] = 1;
        for (uint32_t k = 0; k < l->line_count; k++)
            d->functions[p->locations.lines[l->line_at + k].function] = 1;
    }
    for (uint32_t i = 1; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        if (d->functions[i]) d->strings[f->name] = d->strings[f->system_name] = d->strings[f->filename] = 1;
    }
    for (uint32_t i = 1; i < p->mappings.count; i++)
        if (d->mappings[i]) d->strings[p->mappings.items[i].filename] = 1;
}

static void mark_types(struct otlp_dictionary *d)
{
    const struct profile *p = d->profile;
    for (unsigned k = 0; k < p->kind->value_count; k++)
        d->strings[p->types[k].type] = d->strings[p->types[k].unit] = 1;
    d->strings[p->period_type.type] = d->strings[p->period_type.unit] = 1;
}

/* The place of |text| in d->strings: no text is in the table twice. */
static uint32_t mark_text(struct otlp_dictionary *d, const char *text)
{
    const struct profile_strings *t = &d->profile->strings;
    size_t len = strlen(text);
    uint32_t id = 1;
    while (id < t->count &&
           (t->items[id].length != len || memcmp(t->bytes + t->items[id].at, text, len) != 0))
        id++;
    for (uint32_t k = 0; id >= t->count && k < d->extra_count; k++)
        if (d->extras[k].len == len && !memcmp(d->extras[k].text, text, len)) return t->count + k;
    if (id >= t->count) {
        id = t->count + d->extra_count;
        d->extras[d->extra_count++] = (struct otlp_text){text, len};
    }
    d->strings[id] = 1;
    return id;
}

static int attribute_equal(const void *table, uint32_t id, const void *key)
{
    const struct otlp_attribute *a = &((const struct otlp_attribute *)table)[id], *b = key;
    return a->key == b->key && !a->text == !b->text && a->number == b->number && a->len == b->len &&
           (!a->text || !memcmp(a->text, b->text, a->len));
}

/* The id of |attribute|, each of which is in the table once; 0 without memory. */
static uint32_t add_attribute(struct otlp_dictionary *d, struct otlp_attribute attribute)
{
    uint64_t value = attribute.text ? hash_bytes(attribute.text, attribute.len) : (uint64_t)attribute.number;
    uint32_t hash = (uint32_t)hash_combine(attribute.key, value);
    uint32_t id = index_find(&d->attribute_index, hash, attribute_equal, d->attributes, &attribute);
    if (id) return id;
    id = d->attribute_count ? d->attribute_count : 1;
    if (heap_grow(&d->attributes, &d->attribute_cap, id + 1, sizeof *d->attributes) ||
        index_add(&d->attribute_index, hash, id))
        return 0;
    d->attributes[id] = attribute;
    d->attribute_count = id + 1;
    return id;
}

static struct otlp_attribute text_attribute(uint32_t key, const char *text, size_t len)
{
    return (struct otlp_attribute){.key = key, .text = text, .len = len};
}

static int add_labels(struct otlp_dictionary *d)
{
    const struct profile *p = d->profile;
    for (uint32_t i = 1; i < p->label_sets.count; i++) {
        const struct profile_label_set *set = &p->label_sets.items[i];
        for (uint32_t k = 0; d->label_sets[i] && k < set->count; k++) {
            const struct profile_label *label = &p->label_sets.labels[set->at + k];
            const struct profile_string *text = &p->strings.items[label->text];
            struct otlp_attribute attribute = {.key = label->key, .number = label->number};
            if (label->text)
                attribute = text_attribute(label->key, p->strings.bytes + text->at, text->length);
            d->strings[label->key] = 1;
            d->label_attributes[set->at + k] = add_attribute(d, attribute);
            if (!d->label_attributes[set->at + k]) return -ENOMEM;
        }
    }
    return 0;
}

static int add_frame_types(struct otlp_dictionary *d)
{
    const struct profile_locations *t = &d->profile->locations;
    for (uint32_t i = 1; i < t->count; i++) {
        enum profile_frame_type type = (enum profile_frame_type)t->items[i].frame_type;
        if (!d->locations[i] || !type || d->frame_types[type]) continue;
        const char *name = profile_frame_type_name(type);
        d->frame_types[type] =
            add_attribute(d, text_attribute(mark_text(d, frame_type_key), name, strlen(name)));
        if (!d->frame_types[type]) return -ENOMEM;
    }
    return 0;
}

static int add_build_ids(struct otlp_dictionary *d)
{
    const struct profile *p = d->profile;
    for (uint32_t i = 1; i < p->mappings.count; i++) {
        const struct profile_string *text = &p->strings.items[p->mappings.items[i].build_id];
        if (!d->mappings[i] || !text->length) continue;
        d->build_ids[i] = add_attribute(
            d, text_attribute(mark_text(d, build_id_key), p->strings.bytes + text->at, text->length));
        if (!d->build_ids[i]) return -ENOMEM;
    }
    return 0;
}

static int add_figures(struct otlp_dictionary *d, const struct otlp_request *request)
{
    for (size_t i = 0; i < request->figure_count; i++) {
        const struct otlp_figure *figure = &request->figures[i];
        uint32_t id = add_attribute(
            d, (struct otlp_attribute){.key = mark_text(d, figure->name), .number = figure->value});
        if (!id) return -ENOMEM;
        if (!i) d->first_figure = id;
    }
    return 0;
}

static void number(uint32_t *map, uint32_t count)
{
    uint32_t next = 1;
    map[0] = 0;
    for (uint32_t i = 1; i < count; i++)
        if (map[i]) map[i] = next++;
}

static int function_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_function *a = &((const struct profile_function *)table)[id], *b = key;
    return a->name == b->name && a->system_name == b->system_name && a->filename == b->filename &&
           a->start_line == b->start_line;
}

/* OTLP has no column of a function's start: functions that only it keeps apart are one entry. */
static int number_functions(struct otlp_dictionary *d)
{
    const struct profile_functions *t = &d->profile->functions;
    uint32_t next = 1;
    int rc = 0;
    struct index index = {0};
    d->functions[0] = 0;
    for (uint32_t i = 1; i < t->count && !rc; i++) {
        const struct profile_function *f = &t->items[i];
        if (!d->functions[i]) continue;
        uint64_t h = hash_combine((uint64_t)f->name << 32 | f->system_name, f->filename);
        uint32_t hash = (uint32_t)hash_combine(h, (uint64_t)f->start_line);
        uint32_t same = index_find(&index, hash, function_equal, t->items, f);
        d->functions[i] = same ? d->functions[same] : next++;
        if (!same) rc = index_add(&index, hash, i);
    }
    d->function_count = next;
    index_clear(&index);
    return rc;
}

int otlp_dictionary_make(struct otlp_dictionary *d, const struct otlp_request *request)
{
    const struct profile *p = request->profile;
    *d = (struct otlp_dictionary){.profile = p};
    if (allocate(d, p)) return -ENOMEM;
    for (uint32_t i = request->first; i < request->end; i++) {
        mark_stack(d, p->samples.items[i].stack);
        d->label_sets[p->samples.items[i].labels] = 1;
    }
    mark_locations(d);
    mark_types(d);
    if (add_figures(d, request) || add_labels(d) || add_frame_types(d) || add_build_ids(d)) return -ENOMEM;
    number(d->stacks, p->stacks.count);
    number(d->locations, p->locations.count);
    number(d->mappings, p->mappings.count);
    number(d->strings, p->strings.count + d->extra_count);
    return number_functions(d);
}

void otlp_dictionary_free(struct otlp_dictionary *d)
{
    heap_free(d->stacks);
    heap_free(d->extras);
    heap_free(d->attributes);
    index_clear(&d->attribute_index);
}
