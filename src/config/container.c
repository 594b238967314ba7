#include "config/container.h"

#include <string.h>

#include "sys/file.h"
#include "sys/heap.h"

enum { ID_DIGITS = CONTAINER_ID_BYTES - 1, TEXT_LIMIT = 1024 * 1024 };

static int is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static size_t line_length(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? (size_t)(end - line) : strlen(line);
}

/* The start of the last run of exactly 64 hex digits in |line|, or NULL. */
static const char *last_id(const char *line, size_t len)
{
    const char *found = NULL;
    for (size_t i = 0; i < len;) {
        size_t run = 0;
        while (i + run < len && is_hex(line[i + run])) run++;
        if (run == ID_DIGITS) found = line + i;
        i += run ? run : 1;
    }
    return found;
}

int container_id_from_cgroup(const char *text, char id[CONTAINER_ID_BYTES])
{
    while (*text) {
        size_t len = line_length(text);
        const char *found = last_id(text, len);
        if (found) {
            memcpy(id, found, ID_DIGITS);
            id[ID_DIGITS] = 0;
            return 1;
        }
        text += len + (text[len] == '\n');
    }
    return 0;
}

static int component_is(const char *component, size_t len, const char *name)
{
    return len == strlen(name) && !memcmp(component, name, len);
}

/* The id in a line of mountinfo, components being what stands between '/' and blanks; or NULL. */
static const char *id_after_containers(const char *line, size_t len)
{
    int after_containers = 0;
    for (size_t i = 0; i < len;) {
        size_t n = 0;
        while (i + n < len && line[i + n] != '/' && line[i + n] != ' ') n++;
        if (after_containers && n == ID_DIGITS && last_id(line + i, n)) return line + i;
        after_containers =
            component_is(line + i, n, "containers") || component_is(line + i, n, "overlay-containers");
        i += n + 1;
    }
    return NULL;
}

int container_id_from_mountinfo(const char *text, char id[CONTAINER_ID_BYTES])
{
    while (*text) {
        size_t len = line_length(text);
        const char *found = memmem(text, len, "/hostname", 9) ? id_after_containers(text, len) : NULL;
        if (found) {
            memcpy(id, found, ID_DIGITS);
            id[ID_DIGITS] = 0;
            return 1;
        }
        text += len + (text[len] == '\n');
    }
    return 0;
}

/* "ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [TAGS] - TYPE SOURCE OPTIONS" */
int container_root_is_overlay(const char *text)
{
    while (*text) {
        size_t len = line_length(text);
        const char *field = text, *end = text + len;
        for (int i = 0; field && i < 4; i++) {
            field = memchr(field, ' ', (size_t)(end - field));
            if (field) field++;
        }
        const char *type = memmem(text, len, " - overlay ", 11);
        if (field && end - field > 1 && field[0] == '/' && field[1] == ' ' && type) return 1;
        text += len + (text[len] == '\n');
    }
    return 0;
}

static int has_marker_file(void)
{
    static const char *const markers[] = {"/.dockerenv", "/run/.containerenv", "/run/systemd/container"};
    struct stat st;
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (!file_stat(markers[i], &st, 0)) return 1;
    return 0;
}

void container_detect(struct container *container)
{
    char *text;
    memset(container, 0, sizeof *container);
    if (file_read_text("/proc/self/cgroup", TEXT_LIMIT, &text) >= 0) {
        container->inside = container_id_from_cgroup(text, container->id);
        heap_free(text);
    }
    if (container->inside) return;
    if (file_read_text("/proc/self/mountinfo", TEXT_LIMIT, &text) >= 0) {
        container->inside =
            container_id_from_mountinfo(text, container->id) || container_root_is_overlay(text);
        heap_free(text);
    }
    if (!container->inside) container->inside = has_marker_file();
}
