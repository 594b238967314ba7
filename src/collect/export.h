/* A finished window on its way to the sinks: comments for the reader, then the hand-over. */
#ifndef OTELPROF_COLLECT_EXPORT_H
#define OTELPROF_COLLECT_EXPORT_H

#include "collect/window.h"
#include "config/resource.h"
#include "sink/sink.h"

/* Seals |window|'s profile and gives it to |sinks|, with the resource and what was dropped as comments. */
void export_window(struct window *window, struct sinks *sinks, const struct resource *resource);

#endif
