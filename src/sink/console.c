#include "sink/console.h"

#include <errno.h>
#include <string.h>

#include "encode/console.h"
#include "sink/sink.h"
#include "sys/file.h"
#include "sys/rawcall.h"

enum { STDERR = 2 };

void sink_console_open(struct sink_console *console, enum config_verbosity verbosity, unsigned top)
{
    *console = (struct sink_console){.verbosity = verbosity, .top = top};
    if (sys_call2(SYS_fstat, STDERR, &console->stderr_at_open))
        memset(&console->stderr_at_open, 0, sizeof console->stderr_at_open);
}

/* A daemon that closes stderr may get descriptor 2 for its database file or socket
 * (sqlite.org/howtocorrupt.html, 1.1): we write only to the file that was stderr at the start. */
static int stderr_is_the_same(const struct sink_console *console)
{
    struct stat now;
    return !sys_call2(SYS_fstat, STDERR, &now) && now.st_ino == console->stderr_at_open.st_ino &&
           now.st_dev == console->stderr_at_open.st_dev;
}

static int write_lines(const struct encode_buffer *text)
{
    const uint8_t *at = text->data, *end = text->data + text->size;
    int rc = 0;
    while (at < end && !rc) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *next = newline ? newline + 1 : end;
        /* All signals are blocked on this thread, so a reader that is gone gives EPIPE and no SIGPIPE. */
        rc = file_write_all(STDERR, at, (size_t)(next - at));
        at = next;
    }
    return rc;
}

int sink_console_write(struct sink_console *console, const struct export_window *window)
{
    if (!stderr_is_the_same(console)) return -EBADF;
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
