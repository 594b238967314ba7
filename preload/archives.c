/*
 * What the archives that we link in statically (zlib, nanopb, libiberty's demangler) want from libc, hidden
 * from everybody else. Their malloc must not be the application's (sys/heap.h says why), and nothing they
 * call may use thread-local storage, which the background thread has none of (sys/spawn.h): libc's printf
 * family does. The __*_chk names are Debian's hardening; musl has none of them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/fmt.h"
#include "sys/heap.h"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *malloc(size_t size)
{
    return heap_alloc(size);
}

HIDDEN void *calloc(size_t count, size_t size)
{
    return heap_zalloc(count, size);
}

HIDDEN void *realloc(void *block, size_t size)
{
    return heap_realloc(block, size);
}

HIDDEN void free(void *block)
{
    heap_free(block);
}

HIDDEN int __snprintf_chk(char *out, size_t size, int flag, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t n = fmt_text_v(out, size < room ? size : room, format, args);
    va_end(args);
    return (int)n;
}

HIDDEN int __sprintf_chk(char *out, int flag, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t n = fmt_text_v(out, room < INT32_MAX ? room : INT32_MAX, format, args);
    va_end(args);
    return (int)n;
}

HIDDEN void __stack_chk_fail(void)
{
    __builtin_trap();
}
