// SPDX-License-Identifier: Apache-2.0
#include "top_output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"

// Enough for a share of one sample in a billion, without 0.10000000000000001.
#define SHARE_DIGITS 12

static json_t *text(const char *bytes, size_t size)
{
    size_t valid_size;
    char *valid = printable_utf8(bytes, size, &valid_size);
    json_t *value = json_stringn(valid, valid_size);
    free(valid);
    return value;
}

static json_t *frame_object(const struct read_top_frame *frame, int64_t total)
{
    double share = total ? (double)frame->self / (double)total : 0;
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:f}", "name", text(frame->name, frame->name_size), "file",
                     text(frame->file, frame->file_size), "line", (json_int_t)read_top_line(frame), "self",
                     (json_int_t)frame->self, "cumulative", (json_int_t)frame->cumulative, "share", share);
}

int top_print_json(const struct read_top *top, size_t rows)
{
    const struct read_top_frame *frames = top->frames.rows;
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) json_array_append_new(list, frame_object(&frames[i], top->total));
    json_t *result = json_pack("{s:o, s:o, s:I, s:I, s:I, s:o}", "type", text(top->type, strlen(top->type)),
                               "unit", text(top->unit, strlen(top->unit)), "total", (json_int_t)top->total,
                               "duration_nanos", (json_int_t)top->duration_nanos, "frameCount",
                               (json_int_t)top->frames.count, "frames", list);
    if (!result || json_array_size(list) != rows) {
        json_decref(result);
        return -1;
    }
    // ASCII only: the output often goes to a terminal, and this way no name can hold a C1 control or turn the
    // line.
    json_dumpf(result, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(SHARE_DIGITS));
    json_decref(result);
    putchar('\n');
    return 0;
}
