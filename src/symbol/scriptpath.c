#include "symbol/scriptpath.h"

#include <string.h>

static const char file_scheme[] = "file://";

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* RFC 3986, 2.1. What is no escape is taken as it stands. */
static size_t decode(const char *text, size_t len, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < len && n < size; i++) {
        int high = text[i] == '%' && i + 2 < len ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        out[n++] = low >= 0 ? (char)(high << 4 | low) : text[i];
        if (low >= 0) i += 2;
    }
    return n;
}

static int is_dependency(const char *path, size_t len)
{
    static const char directory[] = "/node_modules/";
    return memmem(path, len, directory, sizeof directory - 1) != NULL;
}

/* The length of |directory| with its slash if |path| lies in it, else 0. */
static size_t directory_prefix(const char *directory, const char *path, size_t len)
{
    size_t n = directory ? strlen(directory) : 0;
    if (n < 2 || len <= n + 1) return 0; /* "/" holds everything: nothing is shortened */
    return !memcmp(path, directory, n) && path[n] == '/' ? n + 1 : 0;
}

size_t script_path(const struct script_paths *paths, const char *url, size_t len, char *out, size_t size)
{
    size_t scheme = sizeof file_scheme - 1, n;
    if (paths->strip == SCRIPT_STRIP_ALL) return 0;
    if (len > scheme && !memcmp(url, file_scheme, scheme) && url[scheme] == '/') {
        n = decode(url + scheme, len - scheme, out, size);
    } else {
        n = len < size ? len : size;
        memcpy(out, url, n);
    }
    if (paths->strip == SCRIPT_STRIP_DEPENDENCIES && is_dependency(out, n)) return 0;
    size_t prefix = directory_prefix(paths->directory, out, n);
    memmove(out, out + prefix, n - prefix);
    return n - prefix;
}
