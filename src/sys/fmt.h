/*
 * Text formatting without libc (whose printf family uses locale and thread-local storage, which our
 * background thread does not have). Async-signal-safe.
 */
#ifndef OTELPROF_SYS_FMT_H
#define OTELPROF_SYS_FMT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Writes |format| to |out| (|size| bytes, always terminated when size > 0) and returns the number of bytes
 * written without the terminator; longer text is cut. Understands %s %.*s %c %d %u %x with the lengths l, ll
 * and z, %p, %%, a zero flag and a width for numbers (%08x), and %s of NULL as "(null)". Nothing else.
 */
size_t fmt_text(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t fmt_text_v(char *out, size_t size, const char *format, va_list args);

#endif
