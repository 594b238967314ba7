#include "config/package.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/utf8.h"

enum {
    PATH_BYTES = 4096,
    JSON_BYTES = 64 * 1024, /* of a package.json; npm writes "name" first */
    NAME_BYTES = 256        /* npm allows 214 */
};

/* Where the scanner stands; |at| never passes |end|. */
struct scan {
    const char *at, *end;
};

static int next_is(struct scan *scan, char c)
{
    while (scan->at < scan->end && memchr(" \t\r\n", *scan->at, 4)) scan->at++;
    return scan->at < scan->end && *scan->at == c;
}

static int take(struct scan *scan, char c)
{
    if (!next_is(scan, c)) return 0;
    scan->at++;
    return 1;
}

/* Four hex digits behind \u, or -1. */
static int32_t take_code_unit(struct scan *scan)
{
    int32_t unit = 0;
    if (scan->end - scan->at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = scan->at[i], letter = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            unit = unit << 4 | (c - '0');
        else if (letter >= 'a' && letter <= 'f')
            unit = unit << 4 | (letter - 'a' + 10);
        else
            return -1;
    }
    scan->at += 4;
    return unit;
}

/* The character of an escape, behind the backslash: its UTF-8 in |out|, its length, or -1. A surrogate
 * without its other half is U+FFFD. */
static int take_escape(struct scan *scan, char out[4])
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (scan->at >= scan->end) return -1;
    char c = *scan->at++;
    if (c != 'u') {
        const char *letter = memchr(letters, c, sizeof letters - 1);
        if (!letter) return -1;
        out[0] = values[letter - letters];
        return 1;
    }
    int32_t unit = take_code_unit(scan);
    if (unit < 0) return -1;
    struct scan rest = *scan;
    if ((unit & 0xfc00) == 0xd800 && rest.end - rest.at > 2 && rest.at[0] == '\\' && rest.at[1] == 'u') {
        rest.at += 2;
        int32_t low = take_code_unit(&rest);
        if ((low & 0xfffffc00) == 0xdc00) {
            *scan = rest;
            unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
        }
    }
    size_t n = utf8_put((uint32_t)unit, out);
    return (int)(n ? n : utf8_put(0xfffd, out));
}

/* A string, whose opening quote is next: 0 and its value in |out|, of |size| bytes; -1 if it is none or never
 * ends.
 * |*len| is the whole length, also when that is more than |out| holds. */
static int take_string(struct scan *scan, char *out, size_t size, size_t *len)
{
    *len = 0;
    if (!take(scan, '"')) return -1;
    while (scan->at < scan->end) {
        char c = *scan->at++, piece[4] = {c};
        int n = 1;
        if (c == '"') {
            out[*len < size ? *len : size - 1] = 0;
            return 0;
        }
        if (c == '\\') n = take_escape(scan, piece);
        if (n < 0) return -1;
        for (int i = 0; i < n; i++, (*len)++)
            if (*len < size) out[*len] = piece[i];
    }
    return -1;
}

/* Any value, up to the ',' or '}' behind it, without recursion: only strings can hide a bracket. */
static int skip_value(struct scan *scan)
{
    int depth = 0;
    char unused[1];
    size_t len;
    while (scan->at < scan->end) {
        char c = *scan->at;
        if (c == '"') {
            if (take_string(scan, unused, sizeof unused, &len)) return -1;
            continue;
        }
        if (!depth && (c == ',' || c == '}')) return 0;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth < 0) return -1;
        scan->at++;
    }
    return -1;
}

int package_json_string(const char *text, size_t len, const char *key, char *out, size_t size)
{
    struct scan scan = {text, text + len};
    char name[64];
    size_t n;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) scan.at += 3; /* npm accepts a byte order mark */
    if (!take(&scan, '{')) return -ENOENT;
    do {
        if (take_string(&scan, name, sizeof name, &n) || !take(&scan, ':')) return -ENOENT;
        if (n == strlen(key) && n < sizeof name && !memcmp(name, key, n)) {
            if (take_string(&scan, out, size, &n) || !n || n >= size || strlen(out) != n) return -ENOENT;
            return (int)n;
        }
        if (skip_value(&scan)) return -ENOENT;
    } while (take(&scan, ','));
    return -ENOENT;
}

/* "/a/./b//../c" to "/a/c" in place; |path| begins with '/'. By text alone: a ".." behind a symbolic link is
 * rare, and a wrong directory only costs the name. */
static void normalize(char *path)
{
    char *out = path;
    const char *in = path;
    while (*in) {
        while (*in == '/') in++;
        const char *slash = strchr(in, '/');
        size_t n = slash ? (size_t)(slash - in) : strlen(in);
        if (n == 2 && in[0] == '.' && in[1] == '.') {
            while (out > path && *--out != '/') continue;
        } else if (n && !(n == 1 && in[0] == '.')) {
            *out++ = '/';
            memmove(out, in, n);
            out += n;
        }
        in += n;
    }
    if (out == path) *out++ = '/';
    *out = 0;
}

/* The name in |directory|/package.json, or NULL. */
static char *name_in(const char *directory, size_t len, char *buffer)
{
    char name[NAME_BYTES];
    struct stat st;
    size_t n = fmt_text(buffer, PATH_BYTES, "%.*s/package.json", (int)len, directory);
    if (n + 1 >= PATH_BYTES) return NULL;
    if (file_stat(buffer, &st, 0) || !S_ISREG(st.st_mode)) return NULL; /* a FIFO would block us */
    int64_t size = file_read_small(buffer, buffer + PATH_BYTES, JSON_BYTES);
    if (size <= 0) return NULL;
    int found = package_json_string(buffer + PATH_BYTES, (size_t)size, "name", name, sizeof name);
    return found > 0 ? utf8_repair(name, (size_t)found) : NULL;
}

/* Walks up from the |len| bytes of |path|, a directory. */
static char *walk_up(const char *path, size_t len, char *buffer)
{
    for (;;) {
        char *name = name_in(path, len, buffer);
        if (name || !len) return name;
        while (len && path[len - 1] != '/') len--;
        if (len) len--; /* the slash; "/" itself is the empty prefix */
    }
}

char *package_find_name(const char *script, const char *directory)
{
    struct stat st;
    char *name = NULL, *buffer = heap_alloc(2 * PATH_BYTES + JSON_BYTES);
    if (!buffer) return NULL;
    char *path = buffer + PATH_BYTES + JSON_BYTES;
    int absolute = *script == '/';
    size_t n = fmt_text(path, PATH_BYTES, "%s%s%s", absolute ? "" : directory, absolute ? "" : "/", script);
    if (n + 1 < PATH_BYTES && *path == '/') {
        normalize(path);
        size_t len = strlen(path);
        if (file_stat(path, &st, 0) || !S_ISDIR(st.st_mode))
            while (len && path[--len] != '/') continue;
        const char *modules = memmem(path, len, "/node_modules/", 14);
        if (modules) name = walk_up(path, (size_t)(modules - path), buffer);
        if (!name) name = walk_up(path, len, buffer);
    }
    heap_free(buffer);
    return name;
}
