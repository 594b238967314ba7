/* The console sink: windows as text on stderr, for people who look whether profiling works at all. */
#ifndef OTELPROF_SINK_CONSOLE_H
#define OTELPROF_SINK_CONSOLE_H

#include "config/options.h"

struct export_window;

struct sink_console {
    enum config_verbosity verbosity;
    unsigned top; /* functions shown when detailed */
};

void sink_console_open(struct sink_console *console, enum config_verbosity verbosity, unsigned top);

/* Writes |window| to standard error, one write(2) a line. 0, -ENOMEM, an error of
 * descriptors_standard_error's or write's; nothing is logged, for logs go to the same place. */
int sink_console_write(struct sink_console *console, const struct export_window *window);

#endif
