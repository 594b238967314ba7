#include "profile/profile.h"

#include <errno.h>
#include <string.h>

#include "profile/tables.h"
#include "sys/hash.h"
#include "sys/heap.h"

/* Bytes that the tables may still take. */
static size_t room(const struct profile *p)
{
    return p->bytes_limit > p->bytes ? p->bytes_limit - p->bytes : 0;
}

int profile_grow(struct profile *p, void *array, size_t *cap, uint32_t used, size_t extra, size_t size)
{
    size_t need = used + extra;
    if (need <= *cap) return 0;
    if (need > UINT32_MAX / 2) return -ENOMEM;
    size_t old = *cap, wanted = old ? old * 2 : 16;
    if (wanted < need) wanted = need;
    if ((wanted - old) * size > room(p)) return -ENOMEM;
    int rc = heap_grow(array, cap, need, size);
    if (!rc) p->bytes += (*cap - old) * size;
    return rc;
}

int profile_index(struct profile *p, struct index *index, uint32_t hash, uint32_t id)
{
    /* The old slots go back at once, but both arrays live for a moment: the new one has to fit whole. */
    size_t grown = index_growth(index);
    if (grown > room(p)) return -ENOMEM;
    size_t old = (size_t)index->capacity * sizeof *index->slots;
    int rc = index_add(index, hash, id);
    if (!rc && grown) p->bytes += grown - old;
    return rc;
}

uint32_t profile_drop(struct profile *p)
{
    p->dropped++;
    return 0;
}

/* The zero entry of each table. */
static int add_zero_entries(struct profile *p)
{
    if (profile_grow(p, &p->strings.items, &p->strings.cap, 0, 1, sizeof *p->strings.items) ||
        profile_grow(p, &p->strings.bytes, &p->strings.bytes_cap, 0, 1, 1) ||
        profile_grow(p, &p->mappings.items, &p->mappings.cap, 0, 1, sizeof *p->mappings.items) ||
        profile_grow(p, &p->functions.items, &p->functions.cap, 0, 1, sizeof *p->functions.items) ||
        profile_grow(p, &p->locations.items, &p->locations.cap, 0, 1, sizeof *p->locations.items) ||
        profile_grow(p, &p->stacks.items, &p->stacks.cap, 0, 1, sizeof *p->stacks.items) ||
        profile_grow(p, &p->label_sets.items, &p->label_sets.cap, 0, 1, sizeof *p->label_sets.items))
        return -ENOMEM;
    p->strings.items[0] = (struct profile_string){0};
    p->strings.bytes[0] = 0;
    p->strings.bytes_used = 1;
    p->mappings.items[0] = (struct profile_mapping){0};
    p->functions.items[0] = (struct profile_function){0};
    p->locations.items[0] = (struct profile_location){0};
    p->stacks.items[0] = (struct profile_stack){0};
    p->label_sets.items[0] = (struct profile_label_set){0};
    p->strings.count = p->mappings.count = p->functions.count = 1;
    p->locations.count = p->stacks.count = p->label_sets.count = 1;
    return 0;
}

static void add_value_types(struct profile *p)
{
    const struct profile_kind *kind = p->kind;
    for (unsigned i = 0; i < kind->value_count; i++) {
        p->types[i].type = profile_string(p, kind->values[i].type, strlen(kind->values[i].type));
        p->types[i].unit = profile_string(p, kind->values[i].unit, strlen(kind->values[i].unit));
    }
    p->period_type.type = profile_string(p, kind->period_type.type, strlen(kind->period_type.type));
    p->period_type.unit = profile_string(p, kind->period_type.unit, strlen(kind->period_type.unit));
}

struct profile *profile_create(const struct profile_kind *kind, int64_t period)
{
    if (!kind->value_count || kind->value_count > PROFILE_MAX_VALUES) return NULL;
    struct profile *p = heap_zalloc(1, sizeof *p);
    if (!p) return NULL;
    p->kind = kind;
    p->period = period;
    p->bytes_limit = PROFILE_DEFAULT_BYTES;
    int rc = add_zero_entries(p);
    if (!rc) add_value_types(p);
    if (!rc && !p->dropped) return p;
    profile_destroy(p);
    return NULL;
}

void profile_destroy(struct profile *p)
{
    if (!p) return;
    heap_free(p->comments);
    heap_free(p->strings.items);
    heap_free(p->strings.bytes);
    index_clear(&p->strings.index);
    heap_free(p->mappings.items);
    index_clear(&p->mappings.index);
    heap_free(p->functions.items);
    index_clear(&p->functions.index);
    heap_free(p->locations.items);
    heap_free(p->locations.lines);
    index_clear(&p->locations.index);
    heap_free(p->stacks.items);
    heap_free(p->stacks.locations);
    index_clear(&p->stacks.index);
    heap_free(p->label_sets.items);
    heap_free(p->label_sets.labels);
    index_clear(&p->label_sets.index);
    heap_free(p->samples.items);
    heap_free(p->samples.values);
    index_clear(&p->samples.index);
    heap_free(p);
}

static int sample_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_sample *sample = (const struct profile_sample *)table + (id - 1), *wanted = key;
    return sample->stack == wanted->stack && sample->labels == wanted->labels;
}

/* Makes the sample, its values 0; gives its number + 1, or 0. */
static uint32_t new_sample(struct profile *p, struct profile_sample sample, uint32_t hash)
{
    struct profile_samples *t = &p->samples;
    unsigned n = p->kind->value_count;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        profile_grow(p, &t->values, &t->values_cap, t->count * n, n, sizeof *t->values) ||
        profile_index(p, &t->index, hash, t->count + 1))
        return 0;
    t->items[t->count] = sample;
    memset(profile_sample_values(p, t->count), 0, n * sizeof *t->values);
    return ++t->count;
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

int profile_add(struct profile *p, uint32_t stack, uint32_t labels, const int64_t *values)
{
    if (p->sealed) return -EROFS;
    if (stack >= p->stacks.count || labels >= p->label_sets.count) return -EINVAL;
    struct profile_sample key = {stack, labels};
    uint32_t hash = (uint32_t)hash_combine(stack, labels);
    uint32_t id = index_find(&p->samples.index, hash, sample_equal, p->samples.items, &key);
    if (!id) id = new_sample(p, key, hash);
    if (!id) {
        profile_drop(p);
        return -ENOMEM;
    }
    int64_t *sums = profile_sample_values(p, id - 1);
    for (unsigned i = 0; i < p->kind->value_count; i++) sums[i] = add_saturated(sums[i], values[i]);
    return 0;
}

int64_t profile_total(const struct profile *p, unsigned type)
{
    int64_t total = 0;
    if (type >= p->kind->value_count) return 0;
    for (uint32_t i = 0; i < p->samples.count; i++)
        total = add_saturated(total, profile_sample_values(p, i)[type]);
    return total;
}

int profile_comment(struct profile *p, const char *text)
{
    if (p->sealed) return -EROFS;
    if (!*text) return 0;
    uint64_t dropped = p->dropped;
    uint32_t string = profile_string(p, text, strlen(text));
    if (!string) return p->dropped == dropped ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < p->comment_count; i++)
        if (p->comments[i] == string) return 0;
    if (profile_grow(p, &p->comments, &p->comments_cap, p->comment_count, 1, sizeof *p->comments)) {
        profile_drop(p);
        return -ENOMEM;
    }
    p->comments[p->comment_count++] = string;
    return 0;
}
