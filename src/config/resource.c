#include "config/resource.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "config/container.h"
#include "config/keyvalue.h"
#include "config/package.h"
#include "config/values.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/rawcall.h"
#include "sys/utc.h"
#include "sys/utf8.h"
#include "sys/uuid.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 512 };

#if defined(__x86_64__)
#define HOST_ARCH "amd64"
#elif defined(__aarch64__)
#define HOST_ARCH "arm64"
#endif

const struct resource_attribute *resource_find(const struct resource *resource, const char *key)
{
    for (size_t i = 0; i < resource->count; i++)
        if (!strcmp(resource->items[i].key, key)) return &resource->items[i];
    return NULL;
}

const char *resource_service_name(const struct resource *resource)
{
    const struct resource_attribute *name = resource_find(resource, "service.name");
    return name && name->text ? name->text : "unknown_service";
}

size_t resource_value_text(const struct resource_attribute *attribute, char *out, size_t size)
{
    if (attribute->is_number) return fmt_text(out, size, "%ld", (long)attribute->number);
    return fmt_text(out, size, "%s", attribute->text);
}

/* The place for |key|, with the old value freed; NULL without memory. */
static struct resource_attribute *place_for(struct resource *resource, const char *key)
{
    struct resource_attribute *old = (struct resource_attribute *)resource_find(resource, key);
    if (old) {
        heap_free((void *)old->text);
        old->text = NULL;
        return old;
    }
    if (heap_grow(&resource->items, &resource->cap, resource->count + 1, sizeof *resource->items))
        return NULL;
    char *copy = utf8_repair(key, strlen(key));
    if (!copy) return NULL;
    struct resource_attribute *new = &resource->items[resource->count++];
    *new = (struct resource_attribute){.key = copy};
    return new;
}

/* Takes |text|, a heap string, or |number| when it is NULL. */
static int put(struct resource *resource, const char *key, char *text, int64_t number, int from_user)
{
    const struct resource_attribute *old = resource_find(resource, key);
    struct resource_attribute *place = NULL;
    int kept = old && old->from_user && !from_user;
    if (!kept) place = place_for(resource, key);
    if (!place) {
        heap_free(text);
        return kept ? 0 : -ENOMEM;
    }
    place->text = text;
    place->number = number;
    place->is_number = !text;
    place->from_user = from_user;
    return 0;
}

static int put_text(struct resource *resource, const char *key, const char *text, int from_user)
{
    char *copy = utf8_repair(text, strlen(text));
    return copy ? put(resource, key, copy, 0, from_user) : -ENOMEM;
}

int resource_set_text(struct resource *resource, const char *key, const char *text)
{
    return put_text(resource, key, text, 0);
}

int resource_set_number(struct resource *resource, const char *key, int64_t number)
{
    return put(resource, key, NULL, number, 0);
}

static void report_bad_entry(const struct keyvalue_error *error)
{
    char shown[128];
    value_for_message(error->entry, error->len, shown, sizeof shown);
    log_error("OTEL_RESOURCE_ATTRIBUTES: the entry \"%s\" %s, so the whole variable is ignored; write "
              "key=value,key=value "
              "with %%2C for a comma, %%3D for an equals sign and %%25 for a percent sign inside a value",
              shown, error->reason);
}

static int add_user_attributes(struct resource *resource, const struct config *config)
{
    struct keyvalue *list = NULL;
    struct keyvalue_error error;
    size_t count = 0;
    int lost = 0;
    if (config->resource_attributes) {
        int rc = keyvalue_parse(config->resource_attributes, &list, &count, &error);
        if (rc == -EINVAL) report_bad_entry(&error);
        lost |= rc == -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        /* An empty service.name is as good as none: detection goes on. */
        if (!*list[i].value && !strcmp(list[i].key, "service.name")) continue;
        lost |= put_text(resource, list[i].key, list[i].value, 1);
    }
    keyvalue_free(list, count);
    if (config->service_name) lost |= put_text(resource, "service.name", config->service_name, 1);
    return lost;
}

/* The name in the package.json of node's script, or NULL. */
static char *package_name(const struct program *program)
{
    char *name = NULL, *directory = heap_alloc(PATH_BYTES);
    if (!directory) return NULL;
    /* "(unreachable)/..." when the directory is outside of our root: getcwd(2) */
    long n = sys_call2(SYS_getcwd, directory, PATH_BYTES);
    if (n <= 0 || *directory != '/') memcpy(directory, "/", sizeof "/");
    name = package_find_name(program->script, directory);
    heap_free(directory);
    return name;
}

static int add_service_name(struct resource *resource, const struct program *program)
{
    char fallback[NAME_BYTES];
    if (resource_find(resource, "service.name")) return 0;
    char *name = program->is_node && program->script ? package_name(program) : NULL;
    if (name) return put(resource, "service.name", name, 0, 0);
    fmt_text(fallback, sizeof fallback, program->name ? "unknown_service:%s" : "unknown_service",
             program->name);
    return resource_set_text(resource, "service.name", fallback);
}

/* What names this process and no other. */
static int add_instance(struct resource *resource)
{
    char uuid[UUID_TEXT_BYTES], created[40];
    int lost = resource_set_number(resource, "process.pid", sys_getpid());
    int64_t start = process_start_realtime();
    if (start >= 0) {
        struct utc utc;
        utc_split(start, &utc);
        fmt_text(created, sizeof created, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.year, utc.month, utc.day,
                 utc.hour, utc.minute, utc.second, utc.millisecond);
        lost |= resource_set_text(resource, "process.creation.time", created);
    }
    uuid_random(uuid);
    return lost | resource_set_text(resource, "service.instance.id", uuid);
}

static int add_program(struct resource *resource, const struct program *program)
{
    int lost = 0;
    if (program->name) lost |= resource_set_text(resource, "process.executable.name", program->name);
    if (program->path && *program->path == '/')
        lost |= resource_set_text(resource, "process.executable.path", program->path);
    if (program->is_node) lost |= resource_set_text(resource, "process.runtime.name", "nodejs");
    /* "opentelemetry" as the name is reserved for the official SDKs; there is no language "c". */
    lost |= resource_set_text(resource, "telemetry.sdk.name", "libotelprof");
    lost |= resource_set_text(resource, "telemetry.sdk.language", program->is_node ? "nodejs" : "cpp");
    return lost | resource_set_text(resource, "telemetry.sdk.version", OTELPROF_VERSION);
}

/* machine-id(5): 32 lower-case hex digits; a fresh image may hold "uninitialized". */
static int add_machine_id(struct resource *resource)
{
    static const char *const paths[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
    char id[64];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int64_t n = file_read_small(paths[i], id, sizeof id);
        if (n < 32) continue;
        size_t digits = 0;
        while (memchr("0123456789abcdef", id[digits], 16)) digits++;
        if (digits != 32 || (id[32] && id[32] != '\n')) continue;
        id[32] = 0;
        return resource_set_text(resource, "host.id", id);
    }
    return 0;
}

static int add_host(struct resource *resource)
{
    struct utsname names;
    struct container container;
    int lost = 0;
    if (!sys_call1(SYS_uname, &names) && *names.nodename)
        lost |= resource_set_text(resource, "host.name", names.nodename);
#ifdef HOST_ARCH
    lost |= resource_set_text(resource, "host.arch", HOST_ARCH);
#endif
    container_detect(&container);
    if (*container.id) lost |= resource_set_text(resource, "container.id", container.id);
    /* In a container the file is the image's: the same on every machine. */
    if (!container.inside) lost |= add_machine_id(resource);
    return lost;
}

int resource_detect(struct resource *resource, const struct config *config, const struct program *program)
{
    memset(resource, 0, sizeof *resource);
    int lost = add_user_attributes(resource, config);
    lost |= add_service_name(resource, program);
    lost |= add_instance(resource);
    lost |= add_program(resource, program);
    lost |= add_host(resource);
    return lost ? -ENOMEM : 0;
}

int resource_after_fork(struct resource *resource)
{
    return add_instance(resource) ? -ENOMEM : 0;
}

void resource_release(struct resource *resource)
{
    for (size_t i = 0; i < resource->count; i++) {
        heap_free((void *)resource->items[i].key);
        heap_free((void *)resource->items[i].text);
    }
    heap_free(resource->items);
    memset(resource, 0, sizeof *resource);
}
