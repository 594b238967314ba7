#include "config/environment.h"

#include <stdint.h>
#include <string.h>

#include "sys/file.h"
#include "sys/heap.h"

/* Weak: a libc without it, or the stub we link against, must not keep the library from loading. */
extern char **environ __attribute__((weak));

/* MAX_ARG_STRINGS aside, the kernel gives arguments and environment 6 MiB at most (fs/exec.c, bprm limits).
 */
enum { ENVIRON_LIMIT = 6 * 1024 * 1024 };

static struct {
    char **copy; /* of /proc/self/environ, made once */
} environment;

static char *nothing[] = {NULL};

/* Pointers to the NUL-separated entries of |text|, which has a NUL at |text[len]|. */
static char **split_entries(char *text, size_t len)
{
    size_t entries = 0;
    for (size_t i = 0; i < len; i += strlen(text + i) + 1) entries++;
    char **list = heap_zalloc(entries + 1, sizeof *list);
    if (!list) return NULL;
    size_t n = 0;
    for (size_t i = 0; i < len; i += strlen(text + i) + 1) list[n++] = text + i;
    return list;
}

static char **read_proc(void)
{
    char *text;
    int64_t len = file_read_text("/proc/self/environ", ENVIRON_LIMIT, &text);
    if (len < 0) return NULL;
    char **list = split_entries(text, (size_t)len);
    if (!list) heap_free(text);
    return list;
}

char **config_environment(void)
{
    /* Through a volatile read: the compiler may take a weak symbol's address for non-null. */
    char ***volatile symbol = &environ;
    if (symbol && *symbol) return *symbol;
    if (!environment.copy) environment.copy = read_proc();
    return environment.copy ? environment.copy : nothing;
}

static int is_blank(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n') text++;
    return !*text;
}

/* What follows "name=" in |entry|, or NULL if it is another variable. */
static const char *value_of(const char *entry, const char *name)
{
    while (*name && *entry == *name) {
        entry++;
        name++;
    }
    return !*name && *entry == '=' ? entry + 1 : NULL;
}

void environment_pick(char *const *environment, const char *const *names, const char **values, size_t count)
{
    memset(values, 0, count * sizeof *values);
    for (; *environment; environment++) {
        for (size_t i = 0; i < count; i++) {
            const char *value = names[i] && !values[i] ? value_of(*environment, names[i]) : NULL;
            if (!value) continue;
            values[i] = value;
            break;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (values[i] && is_blank(values[i])) values[i] = NULL;
}
