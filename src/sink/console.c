#include "sink/console.h"

#include <string.h>

#include "encode/console.h"
#include "sink/sink.h"
#include "sys/descriptors.h"
#include "sys/file.h"

void sink_console_open(struct sink_console *console, enum config_verbosity verbosity, unsigned top)
{
    *console = (struct sink_console){.verbosity = verbosity, .top = top};
}

static int write_lines(const struct encode_buffer *text)
{
    const uint8_t *at = text->data, *end = text->data + text->size;
    int fd = descriptors_standard_error(), rc = fd < 0 ? fd : 0;
    while (at < end && !rc) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *next = newline ? newline + 1 : end;
        /* All signals are blocked on this thread, so a reader that is gone gives EPIPE and no SIGPIPE. */
        rc = file_write_all(fd, at, (size_t)(next - at));
        at = next;
    }
    if (fd >= 0) descriptors_done(fd);
    return rc;
}

int sink_console_write(struct sink_console *console, const struct export_window *window)
{
    struct encode_buffer text = {0};
    int rc = 0;
    if (console->verbosity >= CONFIG_VERBOSITY_NORMAL && window->resource)
        rc = console_encode_resource(window->resource, window->pid, &text);
    for (unsigned i = 0; i < window->count && !rc; i++) {
        const struct profile *p = window->profiles[i];
        rc = console_encode_summary(p, window->pid, &text);
        if (!rc && console->verbosity >= CONFIG_VERBOSITY_NORMAL)
            rc = console_encode_tables(p, window->pid, &text);
        if (!rc && console->verbosity >= CONFIG_VERBOSITY_DETAILED)
            rc = console_encode_top(p, window->pid, console->top, &text);
    }
    if (!rc) rc = write_lines(&text);
    encode_buffer_free(&text);
    return rc;
}
