/*
 * Who made the profiles: the attributes of the OpenTelemetry resource (semantic conventions 384d6616, see the
 * names in resource.c). What the user gave (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) beats what was
 * detected. No command line, ever: it holds secrets. Not in signal handlers; one thread at a time.
 */
#ifndef OTELPROF_CONFIG_RESOURCE_H
#define OTELPROF_CONFIG_RESOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "config/options.h"
#include "config/program.h"

struct resource_attribute {
    const char *key;  /* owned by the resource, unique in it, valid UTF-8 */
    const char *text; /* owned by the resource, valid UTF-8; NULL when |is_number| */
    int64_t number;
    int is_number;
    int from_user; /* detection does not replace it */
};

struct resource {
    struct resource_attribute *items;
    size_t count, cap;
};

/*
 * Fills |resource| (released or zero before) for this process. Reads a handful of files, about 0.2 ms; to be
 * called early, while the application has neither changed its directory nor its time namespace. A value that
 * cannot be had is left out. An OTEL_RESOURCE_ATTRIBUTES that is invalid anywhere is ignored as a whole, with
 * one log_error. 0, or -ENOMEM when attributes were lost.
 *
 * service.name: OTEL_SERVICE_NAME; else service.name in OTEL_RESOURCE_ATTRIBUTES; else, for node, the name of
 * the application's package.json (package.h); else "unknown_service:" and the program's name, or
 * "unknown_service" alone.
 */
int resource_detect(struct resource *resource, const struct config *config, const struct program *program);

void resource_release(struct resource *resource);

/* Sets a detected attribute, replacing one of the same key, unless the user gave that key. Bytes of |text|
 * that are not UTF-8 become U+FFFD. 0 or -ENOMEM. */
int resource_set_text(struct resource *resource, const char *key, const char *text);
int resource_set_number(struct resource *resource, const char *key, int64_t number);

/* The attribute |key|, or NULL; valid until the resource changes. */
const struct resource_attribute *resource_find(const struct resource *resource, const char *key);

/* The service.name, never NULL, for file names and messages. */
const char *resource_service_name(const struct resource *resource);

/* The value of |attribute| as text in |out| (|size| bytes, terminated, cut if longer); returns its length. */
size_t resource_value_text(const struct resource_attribute *attribute, char *out, size_t size);

/* In a forked child, after heap_after_fork: renews process.pid, process.creation.time and
 * service.instance.id, which name this process alone (unless the user gave them). 0 or -ENOMEM. */
int resource_after_fork(struct resource *resource);

#endif
