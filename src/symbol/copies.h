/* Second mappings of modules' text (struct module_copy). Background thread. */
#ifndef OTELPROF_SYMBOL_COPIES_H
#define OTELPROF_SYMBOL_COPIES_H

#include "symbol/module.h"

/* Finds the copies anew in |text|, the maps that |modules| was just filled from. 0 or -ENOMEM. */
int copies_scan(struct modules *modules, const char *text);

#endif
