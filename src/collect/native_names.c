/* Names for the native locations of a window, one batch a binary. */
#include <string.h>

#include "collect/frames.h"
#include "collect/node_view.h"
#include "node/isolate.h"
#include "symbol/demangle.h"
#include "symbol/names.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/log.h"

struct batch {
    struct name_query *queries;
    uint32_t *locations; /* the location of each query */
    size_t count, query_cap, location_cap;
};

static void add_query(struct batch *batch, uint32_t location, uintptr_t address)
{
    if (heap_grow(&batch->queries, &batch->query_cap, batch->count + 1, sizeof *batch->queries)) return;
    if (heap_grow(&batch->locations, &batch->location_cap, batch->count + 1, sizeof *batch->locations))
        return;
    batch->queries[batch->count] = (struct name_query){.address = address};
    batch->locations[batch->count++] = location;
}

/* A function that has no name is told by its place: "[libfoo.so+0x1234]", the offset as in the file's own
 * addresses. */
static uint32_t unknown_function(struct profile *profile, const struct module *module, uintptr_t address)
{
    char text[512];
    const char *slash = strrchr(module->path, '/');
    size_t len = fmt_text(text, sizeof text, "[%s+0x%lx]", slash ? slash + 1 : module->path,
                          (unsigned long)(address - module->bias));
    uint32_t name = profile_string(profile, text, len);
    return profile_function(profile, name, name, 0, 0, 0);
}

static void name_location(struct profile *profile, const struct module *module, uint32_t location,
                          const struct name_query *answer)
{
    struct profile_line lines[2] = {{0, 0, 0}};
    unsigned count = 1;
    if (answer->name) {
        uint32_t system_name = profile_string(profile, answer->system_name, strlen(answer->system_name));
        lines[0].function = profile_function(
            profile, profile_string(profile, answer->name, strlen(answer->name)), system_name, 0, 0, 0);
        if (demangle_is_rust(answer->system_name))
            profile_location_set_type(profile, location, PROFILE_FRAME_RUST);
        if (node_process.enabled && node_view_is_collection(answer->name)) {
            uint32_t name = profile_string(profile, NODE_VIEW_COLLECTOR, sizeof NODE_VIEW_COLLECTOR - 1);
            lines[count++].function = profile_function(profile, name, name, 0, 0, 0);
        }
    } else {
        lines[0].function = unknown_function(profile, module, answer->address);
    }
    profile_location_set_lines(profile, location, lines, count);
}

static void name_module(struct frames *frames, struct profile *profile, struct module *module,
                        struct batch *batch)
{
    uint32_t mapping = module->id < frames->mapping_cap ? frames->mapping_of[module->id] : 0;
    batch->count = 0;
    if (!mapping) return;
    for (uint32_t i = 1; i < profile->locations.count; i++) {
        const struct profile_location *location = &profile->locations.items[i];
        if (location->mapping == mapping && !location->line_count) add_query(batch, i, location->address);
    }
    if (!batch->count) return;
    int rc = names_resolve(module, batch->queries, batch->count);
    if (rc) log_debug("%s cannot be read for names (errno %d)", module->path, -rc);
    for (size_t i = 0; i < batch->count; i++)
        name_location(profile, module, batch->locations[i], &batch->queries[i]);
}

void frames_name_native(struct frames *frames, struct profile *profile)
{
    struct batch batch = {0};
    for (size_t i = 0; i < frames->modules.count; i++)
        name_module(frames, profile, frames->modules.all[i], &batch);
    heap_free(batch.queries);
    heap_free(batch.locations);
}
