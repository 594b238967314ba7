#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

struct sink {
    char *out;
    size_t room; /* without the terminator */
    size_t used;
};

static void append(const char *text, size_t len, void *opaque)
{
    struct sink *sink = opaque;
    if (len > sink->room - sink->used) len = sink->room - sink->used;
    memcpy(sink->out + sink->used, text, len);
    sink->used += len;
}

/*
 * Bytes of stack that a C++ name can need: a sum over its characters, measured per shape with libiberty of
 * binutils 2.40 (428 bytes a "P", 264 a character of "A1_", 114 of "1AI") and rounded up. The letters of
 * plain identifiers (<number><letters>) are no parts of their own.
 */
static size_t stack_needed(const char *mangled, size_t len)
{
    enum { BYTE = 72, PART = 170, MODIFIER = 400 };
    size_t need = len * BYTE;
    for (size_t i = 0; i < len;) {
        size_t letters = 0;
        need += strchr("PROKVAMDUCG", mangled[i]) ? MODIFIER : PART;
        while (i < len && mangled[i] >= '0' && mangled[i] <= '9' && letters <= len)
            letters = letters * 10 + (size_t)(mangled[i++] - '0');
        i = letters && letters <= len - i ? i + letters : i + !letters;
    }
    return need;
}

size_t demangle(const char *mangled, char *out, size_t size)
{
    if (!size) return 0;
    out[0] = 0;
    if (mangled[0] != '_' || !strchr("ZR", mangled[1])) return 0;
    size_t len = strnlen(mangled, DEMANGLE_INPUT_MAX + 1);
    if (len > DEMANGLE_INPUT_MAX) return 0;
    struct sink sink = {out, size - 1, 0};
    /* Rust first: its legacy names are valid C++ names too, and would show their hash. */
    int ok = rust_demangle_callback(mangled, 0, append, &sink);
    if (!ok) {
        sink.used = 0;
        ok = stack_needed(mangled, len) <= DEMANGLE_STACK_MAX &&
             cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI, append, &sink);
    }
    if (!ok) sink.used = 0;
    out[sink.used] = 0;
    return sink.used;
}

static int is_hash(const char *text)
{
    enum { DIGITS = 16 };
    for (int i = 0; i < DIGITS; i++)
        if (!text[i] || !strchr("0123456789abcdef", text[i])) return 0;
    return text[DIGITS] == 'E';
}

int demangle_is_rust(const char *mangled)
{
    if (!strncmp(mangled, "_R", 2)) return 1;
    if (strncmp(mangled, "_ZN", 3) != 0) return 0;
    const char *hash = strstr(mangled, "17h");
    while (hash && !is_hash(hash + 3)) hash = strstr(hash + 1, "17h");
    return hash != NULL;
}
