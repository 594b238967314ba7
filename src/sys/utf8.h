/*
 * UTF-8 as RFC 3629 has it (no surrogates, nothing over U+10FFFF, no overlong forms). Paths, environment
 * values and thread names are only bytes to the kernel, but a protobuf string that is not UTF-8 makes a
 * receiver reject the whole message. Any thread; utf8_sequence also in signal handlers.
 */
#ifndef OTELPROF_SYS_UTF8_H
#define OTELPROF_SYS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid character at |text| (1 to 4, at most |len|), or 0 when there is none. */
size_t utf8_sequence(const char *text, size_t len);

/* True if all |len| bytes are valid. */
int utf8_valid(const char *text, size_t len);

/* Writes the character |code| to |out| (room for 4): its bytes, or 0 for a surrogate or too large a code. */
size_t utf8_put(uint32_t code, char *out);

/* A terminated heap copy of |text| in which each byte that is not part of a valid character, and each NUL, is
 * U+FFFD; NULL without memory. The caller frees it with heap_free. */
char *utf8_repair(const char *text, size_t len);

#endif
