/*
 * Where finished windows go. The collector opens the sinks once, asks whether there is any, and hands each
 * window over; which sinks there are, and what goes wrong in them, is theirs to know. A failing sink logs (at
 * most once a minute) and the next window is tried again; the application never notices.
 *
 * One thread at a time: the background thread. Not for signal handlers.
 */
#ifndef OTELPROF_SINK_SINK_H
#define OTELPROF_SINK_SINK_H

#include <stdint.h>

#include "config/options.h"
#include "config/resource.h"
#include "profile/profile.h"

/* The profiles of one collection interval. The collector owns everything in it and has sealed the profiles.
 */
struct export_window {
    struct profile **profiles;
    unsigned count;
    const struct resource *resource; /* may be NULL */
    const char *service;             /* service.name; NULL or "" is "unknown_service" */
    int pid;
    int64_t start_realtime; /* Unix time in nanoseconds */
};

struct sinks;

/*
 * The sinks that config->exporters names and this build has; what it has not is said in one warning. The file
 * sink's directory is made absolute here, for the application may chdir later. |config| must outlive the
 * sinks. NULL when there is no memory.
 */
struct sinks *sinks_open(const struct config *config);

/* CONFIG_EXPORTER_* bits of the open sinks. 0: nothing will ever be written, so no profile needs to be made.
 */
unsigned sinks_enabled(const struct sinks *sinks);

/* Gives |window| to every sink. 0, or the first sink's negative errno, which has been logged. Profiles
 * without samples are written to no file: receivers reject them. */
int sinks_write(struct sinks *sinks, const struct export_window *window);

/* NULL: nothing. */
void sinks_close(struct sinks *sinks);

#endif
