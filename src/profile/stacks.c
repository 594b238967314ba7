/* The tables that a sample points to: stacks and label sets. */
#include <errno.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/tables.h"
#include "sys/hash.h"

struct stack_key {
    const uint32_t *locations;
    unsigned count;
};

static int stack_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_stacks *t = table;
    const struct profile_stack *s = &t->items[id];
    const struct stack_key *k = key;
    return s->count == k->count &&
           memcmp(t->locations + s->at, k->locations, k->count * sizeof *k->locations) == 0;
}

uint32_t profile_stack(struct profile *p, const uint32_t *locations, unsigned count)
{
    if (p->sealed || !count) return 0;
    struct profile_stacks *t = &p->stacks;
    if (profile_grow(p, &t->locations, &t->locations_cap, t->locations_used, count, sizeof *t->locations))
        return profile_drop(p);
    /* Straight to where it will stay: a known stack is found from there and the room is used again. */
    struct stack_key key = {t->locations + t->locations_used, 0};
    uint64_t h = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!locations[i] || locations[i] >= p->locations.count) continue;
        t->locations[t->locations_used + key.count++] = locations[i];
        h = hash_combine(h, locations[i]);
    }
    if (!key.count) return 0;
    uint32_t id = index_find(&t->index, (uint32_t)h, stack_equal, t, &key);
    if (id) return id;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        profile_index(p, &t->index, (uint32_t)h, t->count))
        return profile_drop(p);
    t->items[t->count] = (struct profile_stack){t->locations_used, key.count};
    t->locations_used += key.count;
    return t->count++;
}

struct label_key {
    struct profile_label labels[PROFILE_MAX_LABELS];
    unsigned count;
};

/* Puts |label| at its place by key; a second value of a key replaces the first. */
static void insert_label(struct label_key *set, struct profile_label label)
{
    unsigned at = set->count;
    while (at && set->labels[at - 1].key > label.key) at--;
    if (at && set->labels[at - 1].key == label.key) {
        set->labels[at - 1] = label;
        return;
    }
    if (set->count == PROFILE_MAX_LABELS) return;
    memmove(&set->labels[at + 1], &set->labels[at], (set->count - at) * sizeof label);
    set->labels[at] = label;
    set->count++;
}

static int label_set_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_label_sets *t = table;
    const struct profile_label_set *s = &t->items[id];
    const struct label_key *k = key;
    if (s->count != k->count) return 0;
    for (unsigned i = 0; i < k->count; i++) {
        const struct profile_label *a = &t->labels[s->at + i], *b = &k->labels[i];
        if (a->key != b->key || a->text != b->text || a->number != b->number) return 0;
    }
    return 1;
}

uint32_t profile_labels(struct profile *p, const struct profile_label *labels, unsigned count)
{
    if (p->sealed) return 0;
    struct profile_label_sets *t = &p->label_sets;
    struct label_key key;
    key.count = 0;
    for (unsigned i = 0; i < count; i++) {
        struct profile_label label = labels[i];
        if (label.text) label.number = 0;
        if (label.key && label.key < p->strings.count && label.text < p->strings.count)
            insert_label(&key, label);
    }
    if (!key.count) return 0;
    uint64_t h = 0;
    for (unsigned i = 0; i < key.count; i++) {
        h = hash_combine(h, (uint64_t)key.labels[i].key << 32 | key.labels[i].text);
        h = hash_combine(h, (uint64_t)key.labels[i].number);
    }
    uint32_t id = index_find(&t->index, (uint32_t)h, label_set_equal, t, &key);
    if (id) return id;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        profile_grow(p, &t->labels, &t->labels_cap, t->labels_used, key.count, sizeof *t->labels) ||
        profile_index(p, &t->index, (uint32_t)h, t->count))
        return profile_drop(p);
    memcpy(t->labels + t->labels_used, key.labels, key.count * sizeof *key.labels);
    t->items[t->count] = (struct profile_label_set){t->labels_used, key.count};
    t->labels_used += key.count;
    return t->count++;
}
