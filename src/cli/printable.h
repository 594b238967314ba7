// SPDX-License-Identifier: Apache-2.0
// Text from a file made safe to print: a profile from elsewhere must not be able to send escape sequences to
// a terminal, nor to turn a line around.
#ifndef OTELPROF_CLI_PRINTABLE_H
#define OTELPROF_CLI_PRINTABLE_H

#include <stddef.h>

// A malloc'ed copy of the |size| |bytes| in which control characters (C0 and DEL) and every byte that is not
// valid UTF-8 are written \xNN, and C1 controls, the bidi embeddings and overrides U+202A-202E and the
// isolates U+2066-2069 \u{NNNN}. |*columns|, if asked for, is its width in characters. Does not return
// without memory (the process ends).
char *printable_text(const char *bytes, size_t size, size_t *columns);

// The same, but only what is not valid UTF-8 is escaped; for JSON, which has its own escapes for the rest.
// |*out_size| counts bytes, as a NUL may be among them.
char *printable_utf8(const char *bytes, size_t size, size_t *out_size);

#endif
