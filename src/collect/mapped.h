/*
 * What is mapped into the process, kept up to date: modules, and for the handler their unwind tables.
 * Background thread.
 */
#ifndef OTELPROF_COLLECT_MAPPED_H
#define OTELPROF_COLLECT_MAPPED_H

#include <stdint.h>

#include "collect/frames.h"

/*
 * Reads the mappings into |frames|->modules, publishes unwind tables when they changed, and frees those that
 * no handler uses any more. |now|: monotonic ns; |is_settling|: changes are to be expected; |large|: also the
 * tables that take long to build, else they are left for later (frames->large_tables_wait), and the frames of
 * their modules are walked by frame pointers. Returns the time from which another look is worth its cost.
 */
int64_t mapped_refresh(struct frames *frames, int64_t now, int is_settling, int large);

#endif
