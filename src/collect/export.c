#include "collect/export.h"

#include "sys/clock.h"
#include "sys/fmt.h"
#include "sys/log.h"
#include "sys/rawcall.h"

enum { COMMENT_BYTES = 1024 };

static void comment_resource(struct profile *profile, const struct resource *resource)
{
    char text[COMMENT_BYTES], value[COMMENT_BYTES / 2];
    for (size_t i = 0; i < resource->count; i++) {
        resource_value_text(&resource->items[i], value, sizeof value);
        fmt_text(text, sizeof text, "resource: %s=%s", resource->items[i].key, value);
        profile_comment(profile, text);
    }
}

/* Every cause, also those that are 0: a reader sees that nothing was lost. */
static void comment_drops(struct profile *profile, const uint64_t *drops)
{
    char text[COMMENT_BYTES];
    for (int cause = 0; cause < DROP_CAUSES; cause++) {
        fmt_text(text, sizeof text, "dropped: %s=%lu", window_drop_name(cause), (unsigned long)drops[cause]);
        profile_comment(profile, text);
        if (drops[cause]) log_debug("%s", text);
    }
}

void export_window(struct window *window, struct sinks *sinks, const struct resource *resource)
{
    struct profile *profile = window->profile;
    profile->time_nanos = window->start_realtime;
    profile->duration_nanos = clock_monotonic() - window->start_monotonic;
    window->drops[DROP_MEMORY] += profile->dropped;
    comment_resource(profile, resource);
    comment_drops(profile, window->drops);
    if (profile_seal(profile)) log_warn("no memory to tidy a profile: it is written with unused entries");
    struct export_window out = {.profiles = &profile,
                                .count = 1,
                                .resource = resource,
                                .service = resource_service_name(resource),
                                .pid = sys_getpid(),
                                .start_realtime = window->start_realtime};
    sinks_write(sinks, &out);
}
