/* encode_both DIRECTORY SEED PART: a profile made up from SEED, written as pprof to DIRECTORY/pprof and, PART
 * samples each (0: all), as OTLP to DIRECTORY/otlp.0, otlp.1 ... Seeds 0 and 1: a profile of next to nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/otlp.h"
#include "encode/pprof.h"

static const struct profile_kind kinds[] = {
    {"cpu", 2, {{"samples", "count"}, {"cpu", "nanoseconds"}}, {"cpu", "nanoseconds"}},
    {"heap",
     4,
     {{"alloc_objects", "count"},
      {"alloc_space", "bytes"},
      {"inuse_objects", "count"},
      {"inuse_space", "bytes"}},
     {"space", "bytes"}}};

static uint64_t state;

/* 0 to |limit| - 1 (splitmix64). */
static uint64_t any(uint64_t limit)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return (z ^ z >> 31) % limit;
}

static uint32_t text(struct profile *p, const char *format, unsigned long n)
{
    char out[300];
    return profile_string(p, out, (size_t)snprintf(out, sizeof out, format, n));
}

static uint32_t any_function(struct profile *p)
{
    static const char *const names[] = {
        "f%lu", "profile.frame.type", "\xc3\xa9t\xc3\xa9 %lu", "(anonymous)",
        "a name of more than 127 bytes, so that its length takes two bytes "
        "...................................................................... %lu"};
    uint32_t name = text(p, names[any(5)], any(50));
    uint32_t file = any(3) ? text(p, "/app/%lu.js", any(5)) : 0;
    return profile_function(p, name, any(2) ? name : text(p, "_Z%lu", any(50)), file, (int64_t)any(3),
                            (int64_t)any(3));
}

static uint32_t any_location(struct profile *p, const uint32_t *mappings)
{
    struct profile_line lines[3];
    unsigned count = (unsigned)any(4);
    for (unsigned i = 0; i < count; i++)
        lines[i] = (struct profile_line){any_function(p), (int64_t)any(70000), (int64_t)any(300)};
    uint32_t mapping = count ? mappings[any(4)] : mappings[any(3)];
    uint32_t id = profile_location(p, mapping, any(4) ? any(1ULL << 47) : any(16) + !count, lines, count);
    if (any(2)) profile_location_set_type(p, id, (enum profile_frame_type)any(PROFILE_FRAME_TYPES));
    return id;
}

static uint32_t any_labels(struct profile *p)
{
    struct profile_label labels[4] = {{text(p, "thread.id", 0), 0, (int64_t)any(200)},
                                      {text(p, "thread.name", 0), text(p, "worker %lu", any(9)), 0},
                                      {text(p, "f%lu", any(3)), text(p, any(2) ? "" : "x%lu", any(3)), 0},
                                      {text(p, "negative", 0), 0, -(int64_t)any(3)}};
    return profile_labels(p, labels, (unsigned)any(5));
}

static void fill(struct profile *p, unsigned samples)
{
    uint32_t locations[300], mappings[4] = {0};
    for (unsigned long i = 0; i < 3; i++)
        mappings[i] = profile_mapping(p, i << 40, (i << 40) + 4096, i * 4096, text(p, "/lib/%lu.so", i),
                                      i ? text(p, "cafe%lu", i) : 0);
    for (size_t i = 0; i < 300; i++) locations[i] = any_location(p, mappings);
    for (unsigned i = 0; i < samples; i++) {
        uint32_t stack[200];
        int64_t values[PROFILE_MAX_VALUES];
        unsigned depth = (unsigned)any(i % 50 ? 20 : 200);
        for (unsigned k = 0; k < depth; k++) stack[k] = locations[any(300)];
        for (unsigned k = 0; k < PROFILE_MAX_VALUES; k++)
            values[k] = any(3) ? (int64_t)any(1ULL << any(62)) : any(9) ? 0 : -5;
        profile_add(p, profile_stack(p, stack, depth), any_labels(p), values);
    }
    profile_comment(p, "dropped: ring=2");
}

static void write_file(const char *directory, const char *name, unsigned n,
                       const struct encode_buffer *buffer)
{
    char path[4096];
    snprintf(path, sizeof path, name, directory, n);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(buffer->data, 1, buffer->size, file) != buffer->size || fclose(file)) exit(3);
}

int main(int argc, char **argv)
{
    static const struct otlp_figure figures[] = {
        {"otelprof.dropped.ring", 2}, {"otelprof.dropped.none", 0}, {"thread.id", -1}};
    unsigned long seed = argc > 3 ? strtoul(argv[2], NULL, 10) : 0,
                  part = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    const char *directory = argv[1];
    struct resource resource = {0};
    struct encode_buffer out = {0};
    state = seed;
    struct profile *p = profile_create(&kinds[seed % 2], 10000000);
    if (seed > 1) fill(p, 1 + (unsigned)any(700));
    if (seed == 1) profile_add(p, 0, 0, (int64_t[]){0, 5, 0, 0});
    p->time_nanos = 1767225600123456789;
    p->duration_nanos = 10000000001;
    if (profile_seal(p) || pprof_encode(p, &out)) return 4;
    write_file(directory, "%s/pprof", 0, &out);
    resource_set_text(&resource, "service.name", "shop");
    resource_set_text(&resource, "empty", "");
    resource_set_number(&resource, "process.pid", 4711);
    resource_set_number(&resource, "zero", 0);
    if (!part) part = p->samples.count ? p->samples.count : 1;
    for (unsigned n = 0; n == 0 || n * part < p->samples.count; n++) {
        unsigned long end = (n + 1) * part;
        struct otlp_request request = {.profile = p,
                                       .first = (uint32_t)(n * part),
                                       .end = end < p->samples.count ? (uint32_t)end : p->samples.count,
                                       .resource = &resource,
                                       .figures = figures,
                                       .figure_count = n ? 0 : 3};
        out.size = 0;
        int rc = otlp_encode(&request, &out);
        if (rc && rc != -ENODATA) return 5;
        if (rc) printf("no data %u\n", n);
        if (!rc) write_file(directory, "%s/otlp.%u", n, &out);
    }
    encode_buffer_free(&out);
    profile_destroy(p);
    return 0;
}
