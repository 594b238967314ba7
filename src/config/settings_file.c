#include "config/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "config/values.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/log.h"
#include "sys/rawcall.h"

enum { SHOWN_BYTES = 80, WHAT_BYTES = 320 };

/* Not on the stack: constructors may run on a small one. Untouched pages cost nothing. */
static char settings_text[SETTINGS_BYTES + 1];

void settings_file_complain(struct settings_file *file, unsigned line, const char *what)
{
    if (file->problem_count++) return;
    if (line)
        fmt_text(file->problem, sizeof file->problem, "%s, line %u: %s", file->path, line, what);
    else
        fmt_text(file->problem, sizeof file->problem, "%s %s", file->path, what);
}

void settings_file_report(const struct settings_file *file)
{
    if (!file->problem_count) return;
    if (file->problem_count == 1)
        log_error("%s", file->problem);
    else
        log_error("%s (and %u more such lines)", file->problem, file->problem_count - 1);
}

static void complain_of(struct settings_file *file, unsigned line, const char *text, size_t len,
                        const char *cause)
{
    char shown[SHOWN_BYTES], what[WHAT_BYTES];
    value_for_message(text, len, shown, sizeof shown);
    fmt_text(what, sizeof what, "\"%s\" %s; the line is ignored", shown, cause);
    settings_file_complain(file, line, what);
}

static int has_name(const struct settings_file *file, const char *name, size_t len)
{
    for (size_t i = 0; i < file->count; i++)
        if (!strncmp(file->entries[i], name, len) && file->entries[i][len] == '=') return 1;
    return 0;
}

/* A pair of quotes around the whole is what shells and systemd's EnvironmentFile want. */
static const char *without_quotes(const char *value, size_t *len)
{
    if (*len < 2 || (*value != '"' && *value != '\'') || value[*len - 1] != *value) return value;
    *len -= 2;
    return value + 1;
}

/* |line| (|len| bytes and one more that may be overwritten) becomes an entry in place. */
static void parse_line(struct settings_file *file, unsigned number, char *line, size_t len)
{
    const char *text = value_trim(line, &len);
    if (!len || *text == '#') return;
    const char *equals = memchr(text, '=', len);
    size_t name_len = equals ? (size_t)(equals - text) : 0;
    const char *name = value_trim(text, &name_len);
    if (!name_len || memchr(text, 0, len)) {
        complain_of(file, number, text, len, "is not NAME=value: write it so, or begin a comment with #");
        return;
    }
    if (has_name(file, name, name_len)) {
        complain_of(file, number, name, name_len, "is set a second time, and the first counts: remove one");
        return;
    }
    if (file->count == SETTINGS_MAX) {
        complain_of(file, number, name, name_len, "is one setting too many: remove those that do nothing");
        return;
    }
    size_t value_len = len - (size_t)(equals + 1 - text);
    const char *value = value_trim(equals + 1, &value_len);
    value = without_quotes(value, &value_len);
    char *entry = line;
    memmove(entry, name, name_len);
    entry[name_len] = '=';
    memmove(entry + name_len + 1, value, value_len);
    entry[name_len + 1 + value_len] = 0;
    file->lines[file->count] = number;
    file->entries[file->count++] = entry;
}

void settings_file_parse(struct settings_file *file, char *text, size_t len)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char *end = text + len;
    if (len >= 3 && !memcmp(text, byte_order_mark, 3)) text += 3;
    for (unsigned number = 1; text < end; number++) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        parse_line(file, number, text, (size_t)(stop - text));
        text = stop + 1;
    }
    file->entries[file->count] = NULL;
}

/* By open, read, close alone, as program.c does. O_NONBLOCK: a FIFO must not stop the program. */
static long read_text(const char *path)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, flags, 0);
    if (fd < 0) return fd;
    long n;
    do {
        n = sys_call3(SYS_read, fd, settings_text, SETTINGS_BYTES);
    } while (n == -EINTR);
    sys_close(fd);
    return n;
}

void settings_file_read(struct settings_file *file, const char *path)
{
    char what[WHAT_BYTES];
    memset(file, 0, sizeof *file);
    file->path = path ? path : SETTINGS_FILE_DEFAULT;
    long n = read_text(file->path);
    if (!path && (n == -ENOENT || n == -ENOTDIR)) return;
    if (n < 0) {
        fmt_text(what, sizeof what, "cannot be read (errno %d): %s; the environment alone counts", (int)-n,
                 path ? "correct OTEL_PROFILING_CONFIG_FILE"
                      : "make it readable for every user, or remove it");
        settings_file_complain(file, 0, what);
        return;
    }
    if (n == SETTINGS_BYTES) {
        /* The line that is cut off may say something else than the whole. */
        while (n && settings_text[n - 1] != '\n') n--;
        settings_file_complain(file, 0, "is longer than 16 KiB: shorten it; what is beyond is ignored");
    }
    settings_file_parse(file, settings_text, (size_t)n);
}
