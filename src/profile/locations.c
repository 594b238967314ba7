/* The tables that say where code is: mappings, functions, locations. */
#include <errno.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/tables.h"
#include "sys/hash.h"

static int mapping_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_mapping *a = &((const struct profile_mapping *)table)[id], *b = key;
    return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
           a->filename == b->filename && a->build_id == b->build_id;
}

uint32_t profile_mapping(struct profile *p, uint64_t start, uint64_t limit, uint64_t offset,
                         uint32_t filename, uint32_t build_id)
{
    if (p->sealed) return 0;
    struct profile_mappings *t = &p->mappings;
    struct profile_mapping mapping = {start, limit, offset, filename, build_id};
    uint64_t h = hash_combine(hash_combine(start, limit), offset);
    uint32_t hash = (uint32_t)hash_combine(h, (uint64_t)filename << 32 | build_id);
    uint32_t id = index_find(&t->index, hash, mapping_equal, t->items, &mapping);
    if (id) return id;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        profile_index(p, &t->index, hash, t->count))
        return profile_drop(p);
    t->items[t->count] = mapping;
    return t->count++;
}

static int function_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_function *a = &((const struct profile_function *)table)[id], *b = key;
    return a->name == b->name && a->system_name == b->system_name && a->filename == b->filename &&
           a->start_line == b->start_line && a->start_column == b->start_column;
}

uint32_t profile_function(struct profile *p, uint32_t name, uint32_t system_name, uint32_t filename,
                          int64_t start_line, int64_t start_column)
{
    /* OTLP: a function has at least one of the three. All 0 is what callers get for texts that found no
     * memory. */
    if (p->sealed || !(name | system_name | filename)) return 0;
    struct profile_functions *t = &p->functions;
    struct profile_function function = {name, system_name, filename, start_line, start_column};
    uint64_t h = hash_combine((uint64_t)name << 32 | system_name, filename);
    uint32_t hash = (uint32_t)hash_combine(h, (uint64_t)start_line << 32 | (uint32_t)start_column);
    uint32_t id = index_find(&t->index, hash, function_equal, t->items, &function);
    if (id) return id;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        profile_index(p, &t->index, hash, t->count))
        return profile_drop(p);
    t->items[t->count] = function;
    return t->count++;
}

struct location_key {
    uint64_t address;
    uint32_t mapping;
    const struct profile_line *lines;
    unsigned count;
};

static int line_equal(const struct profile_line *a, const struct profile_line *b)
{
    return a->function == b->function && a->line == b->line && a->column == b->column;
}

static int location_equal(const void *table, uint32_t id, const void *key)
{
    const struct profile_locations *t = table;
    const struct profile_location *l = &t->items[id];
    const struct location_key *k = key;
    if (l->address != k->address || l->mapping != k->mapping || l->key_count != k->count) return 0;
    for (unsigned i = 0; i < k->count; i++)
        if (!line_equal(&t->lines[l->key_at + i], &k->lines[i])) return 0;
    return 1;
}

static uint32_t location_hash(const struct location_key *k)
{
    uint64_t h = hash_combine(k->address, k->mapping);
    for (unsigned i = 0; i < k->count; i++) {
        h = hash_combine(h, (uint64_t)k->lines[i].line << 32 | k->lines[i].function);
        h = hash_combine(h, (uint64_t)k->lines[i].column);
    }
    return (uint32_t)h;
}

/* Lines whose function is known, behind the others; gives how many, or -ENOMEM. */
static int append_lines(struct profile *p, const struct profile_line *lines, unsigned count)
{
    struct profile_locations *t = &p->locations;
    if (profile_grow(p, &t->lines, &t->lines_cap, t->lines_used, count, sizeof *t->lines)) return -ENOMEM;
    int kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (lines[i].function && lines[i].function < p->functions.count) {
            t->lines[t->lines_used++] = lines[i];
            kept++;
        }
    return kept;
}

static int has_unknown_function(const struct profile *p, const struct profile_line *lines, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!lines[i].function || lines[i].function >= p->functions.count) return 1;
    return 0;
}

uint32_t profile_location(struct profile *p, uint32_t mapping, uint64_t address,
                          const struct profile_line *lines, unsigned count)
{
    if (p->sealed || mapping >= p->mappings.count || has_unknown_function(p, lines, count)) return 0;
    if (!mapping && !address && !count) return 0; /* says nothing: the zero entry */
    struct profile_locations *t = &p->locations;
    struct location_key key = {address, mapping, lines, count};
    uint32_t hash = location_hash(&key);
    uint32_t id = index_find(&t->index, hash, location_equal, t, &key);
    if (id) return id;
    uint32_t at = t->lines_used;
    if (profile_grow(p, &t->items, &t->cap, t->count, 1, sizeof *t->items) ||
        append_lines(p, lines, count) < 0 || profile_index(p, &t->index, hash, t->count)) {
        t->lines_used = at;
        return profile_drop(p);
    }
    t->items[t->count] =
        (struct profile_location){address, mapping, at, count, at, count, PROFILE_FRAME_UNKNOWN};
    return t->count++;
}

int profile_location_set_lines(struct profile *p, uint32_t location, const struct profile_line *lines,
                               unsigned count)
{
    if (p->sealed) return -EROFS;
    if (!location || location >= p->locations.count) return -EINVAL;
    uint32_t at = p->locations.lines_used;
    int kept = append_lines(p, lines, count);
    if (kept < 0) {
        profile_drop(p);
        return kept;
    }
    p->locations.items[location].line_at = at;
    p->locations.items[location].line_count = (uint32_t)kept;
    return 0;
}

void profile_location_set_type(struct profile *p, uint32_t location, enum profile_frame_type type)
{
    if (p->sealed || !location || location >= p->locations.count) return;
    p->locations.items[location].frame_type = type;
}

const char *profile_frame_type_name(enum profile_frame_type type)
{
    static const char *const names[PROFILE_FRAME_TYPES] = {"", "native", "rust", "v8js", "cpython"};
    return names[type];
}
