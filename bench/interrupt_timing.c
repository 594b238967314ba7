/*
 * Times the interrupt in which the library attaches to V8, on the clock of the thread that it takes, and
 * prints it to stderr: the callback that is given to V8 is one of this file's, which calls the library's.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "node/attach.h"
#include "sys/file.h"
#include "sys/fmt.h"

#define REQUEST_INTERRUPT "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_"

typedef void interrupt(void *isolate, void *argument);

int __real_node_attach_prepare(void *(*lookup)(const char *), int is_node);

static struct {
    void *(*lookup)(const char *);
    void (*request)(void *isolate, interrupt *callback, void *argument);
    interrupt *callback;
} interrupted;

static int64_t thread_nanos(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void timed_callback(void *isolate, void *argument)
{
    int64_t before = thread_nanos();
    interrupted.callback(isolate, argument);
    long micros = (thread_nanos() - before) / 1000;
    char line[64];
    file_write_all(2, line, fmt_text(line, sizeof line, "attach interrupt: %ld us\n", micros));
}

/* In the signal handler. */
static void timed_request(void *isolate, interrupt *callback, void *argument)
{
    interrupted.callback = callback;
    interrupted.request(isolate, timed_callback, argument);
}

static void *timed_lookup(const char *name)
{
    void *symbol = interrupted.lookup(name);
    if (!symbol || strcmp(name, REQUEST_INTERRUPT) != 0) return symbol;
    memcpy(&interrupted.request, &symbol, sizeof symbol);
    return (void *)(uintptr_t)timed_request;
}

int __wrap_node_attach_prepare(void *(*lookup)(const char *), int is_node)
{
    interrupted.lookup = lookup;
    return __real_node_attach_prepare(timed_lookup, is_node);
}
