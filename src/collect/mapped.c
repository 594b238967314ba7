#include "collect/mapped.h"

#include <errno.h>

#include "sample/registry.h"
#include "sample/sampler.h"
#include "symbol/binary.h"
#include "symbol/segment.h"
#include "sys/clock.h"
#include "sys/heap.h"
#include "sys/log.h"
#include "sys/rawcall.h"

enum {
    SMALL_HDR_BYTES = 256 * 1024,
    COST_FACTOR = 1000, /* the maps are read at most so often that it costs 0.1 % of a core */
    SETTLING_FACTOR = 100,
    AGAIN_NANOS = 10 * 1000 * 1000 /* between two looks while modules change */
};

static const uint64_t *next_epoch(void *token)
{
    uint32_t *index = token;
    uint32_t count = __atomic_load_n(&registry_tables.chunk_count, __ATOMIC_ACQUIRE) * REGISTRY_CHUNK_SLOTS;
    return *index < count ? &registry_at((*index)++)->epoch : NULL;
}

/* The unwind table of |module|, NULL without one. Large ones are read from the file. */
static struct cfi_table *build_table(const struct module *module)
{
    struct cfi_table *table = NULL;
    struct segment segment;
    struct cfi_file file = {.fd = -1};
    struct cfi_source source = {module->eh_frame_hdr, module->eh_frame_hdr_size, module->start, module->limit,
                                NULL};
    if (module->eh_frame_hdr_size > SMALL_HDR_BYTES && !segment_of(module, module->eh_frame_hdr, &segment)) {
        file = (struct cfi_file){binary_open(module), segment.start, segment.limit, segment.offset};
        if (file.fd >= 0) source.file = &file;
    }
    cfi_build(&source, &table);
    if (file.fd >= 0) sys_close(file.fd);
    return table;
}

/* Builds the missing tables of modules whose index is at most |hdr_limit| bytes and publishes what there is.
 */
static void publish_up_to(struct frames *frames, size_t hdr_limit)
{
    struct modules *modules = &frames->modules;
    struct unwind_module *list = heap_zalloc(modules->live_count + 1, sizeof *list);
    for (size_t i = 0; list && i < modules->live_count; i++) {
        struct module *module = modules->live[i];
        list[i] = (struct unwind_module){module->start, module->limit, module->unwind};
        if (module->unwind || module->eh_frame_hdr_size > hdr_limit) continue;
        list[i].cfi = module->unwind = build_table(module);
    }
    int rc = list ? tables_publish(list, (uint32_t)modules->live_count) : -ENOMEM;
    heap_free(list);
    if (rc) log_warn("no memory for unwind tables: stacks may be cut");
}

static void publish_tables(struct frames *frames, int large)
{
    struct modules *modules = &frames->modules;
    publish_up_to(frames, large ? SIZE_MAX : SMALL_HDR_BYTES);
    for (size_t i = 0; i < modules->count; i++)
        if (modules->all[i]->gone) modules->all[i]->unwind = NULL; /* freed with the snapshot */
}

/* From which count of unloads on each module is known to be where it is. */
static void date_modules(struct frames *frames, uint32_t unloads)
{
    struct modules *modules = &frames->modules;
    for (size_t i = 0; i < modules->count; i++) {
        struct module *module = modules->all[i];
        if (module->gone)
            module->since = MODULE_NEVER;
        else if (module->since == MODULE_NEVER)
            module->since = unloads;
    }
    frames->unloads = unloads;
}

int64_t mapped_refresh(struct frames *frames, int64_t now, int is_settling, int large)
{
    int64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);
    uint32_t unloads = __atomic_load_n(&sampler.unloads, __ATOMIC_ACQUIRE);
    int changed = modules_refresh(&frames->modules) > 0;
    int64_t cost = clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
    if (changed || (large && frames->large_tables_wait)) {
        frames->large_tables_wait = !large;
        publish_tables(frames, large);
    }
    date_modules(frames, unloads);
    uint32_t slot = 0;
    tables_reclaim(next_epoch, &slot);
    __atomic_store_n(&sampler.modules_unknown, 0, __ATOMIC_RELEASE);
    /* Modules come in groups: after a change the next look is soon. */
    return now + (changed ? AGAIN_NANOS : cost * (is_settling ? SETTLING_FACTOR : COST_FACTOR));
}
