/* The console sink: windows as text on stderr, for people who look whether profiling works at all. */
#ifndef OTELPROF_SINK_CONSOLE_H
#define OTELPROF_SINK_CONSOLE_H

#include <sys/stat.h>

#include "config/options.h"

struct export_window;

struct sink_console {
    enum config_verbosity verbosity;
    unsigned top;               /* functions shown when detailed */
    struct stat stderr_at_open; /* zero when there was none */
};

/* Remembers which file stderr is now. */
void sink_console_open(struct sink_console *console, enum config_verbosity verbosity, unsigned top);

/* Writes |window| to descriptor 2, one write(2) a line. 0, -ENOMEM, -EBADF when descriptor 2 is not the
 * stderr of before, or write's error; nothing is logged, for logs go to the same place. */
int sink_console_write(struct sink_console *console, const struct export_window *window);

#endif
