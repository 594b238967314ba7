// SPDX-License-Identifier: Apache-2.0
// The two forms in which `otelprof top` prints its result.
#ifndef OTELPROF_CLI_TOP_OUTPUT_H
#define OTELPROF_CLI_TOP_OUTPUT_H

#include <stddef.h>

#include "read/top.h"

// Prints the header and the first |rows| rows on stdout. On a terminal, long names are cut so that a row is a
// line.
void top_print_text(const struct read_top *top, size_t rows);

// Prints one JSON object on stdout:
// {"type", "unit", "total", "duration_nanos", "frameCount", "frames": [{"name", "file", "line", "self",
// "cumulative", "share"}]}. Values are integers in "unit"; share is self / total; frameCount counts the
// functions before |rows| cuts them; file is "" and line 0 if unknown. Bytes that are not valid UTF-8 are
// written as the text \xNN. Returns 0, or -1 without memory.
int top_print_json(const struct read_top *top, size_t rows);

#endif
