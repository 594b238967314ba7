// SPDX-License-Identifier: Apache-2.0
#include "top_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "printable.h"
#include "quantity.h"

// The place column begins here at the latest; longer names push it to the right in their own row.
#define WIDEST_PADDING 48
// Columns before the name: two values of 12, two percentages of 8, and the gaps.
#define NUMBER_COLUMNS 43
#define NARROWEST_NAME 20
#define NARROWEST_PLACE 10

struct row_text {
    char *name, *place;
    size_t name_columns, place_columns;
};

static size_t utf8_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++) columns += (*text & 0xc0) != 0x80;
    return columns;
}

// printf's widths count bytes, and µ has two.
static void print_right(const char *text, size_t width)
{
    for (size_t columns = utf8_columns(text); columns < width; columns++) putchar(' ');
    fputs(text, stdout);
}

static void print_share(int64_t value, int64_t total)
{
    char text[32];
    snprintf(text, sizeof text, "%.2f%%", total ? 100.0 * (double)value / (double)total : 0);
    print_right(text, 8);
}

// The columns for name and place, or SIZE_MAX where nothing is cut.
static size_t room_for_names(void)
{
    struct winsize window;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        return SIZE_MAX;
    return window.ws_col > NUMBER_COLUMNS + NARROWEST_NAME ? window.ws_col - NUMBER_COLUMNS : NARROWEST_NAME;
}

static char *after_characters(char *text, size_t count)
{
    while (count) count -= (*++text & 0xc0) != 0x80;
    return text;
}

// Cut a text of |*columns| characters to |room|; the last one or the first becomes an ellipsis. That takes 3
// bytes where less may have been: the buffers of row_text() are long enough.
static void cut_end(char *text, size_t *columns, size_t room)
{
    if (*columns <= room) return;
    strcpy(after_characters(text, room - 1), "…");
    *columns = room;
}

static void cut_front(char *text, size_t *columns, size_t room)
{
    if (*columns <= room) return;
    const char *kept = after_characters(text, *columns - (room - 1));
    memmove(text + strlen("…"), kept, strlen(kept) + 1);
    memcpy(text, "…", strlen("…"));
    *columns = room;
}

static struct row_text row_text(const struct read_top_frame *frame)
{
    struct row_text row = {.name = printable_text(frame->name, frame->name_size, &row.name_columns)};
    size_t file_columns;
    char *file = printable_text(frame->file, frame->file_size, &file_columns);
    int64_t line = read_top_line(frame);
    size_t size = strlen(file) + 32;
    row.place = malloc(size);
    if (!row.place) abort();
    if (*file && line)
        snprintf(row.place, size, "%s:%" PRId64, file, line);
    else
        snprintf(row.place, size, "%s", file);
    row.place_columns = utf8_columns(row.place);
    free(file);
    return row;
}

static void print_row(const struct read_top *top, const struct read_top_frame *frame,
                      const struct row_text *row, size_t padding)
{
    print_right(quantity_of(frame->self, top->unit).text, 12);
    print_share(frame->self, top->total);
    putchar(' ');
    print_right(quantity_of(frame->cumulative, top->unit).text, 12);
    print_share(frame->cumulative, top->total);
    printf("  %s", row->name);
    if (*row->place) {
        for (size_t columns = row->name_columns; columns < padding; columns++) putchar(' ');
        printf("  %s", row->place);
    }
    putchar('\n');
}

static void print_header(const struct read_top *top, size_t rows)
{
    char *type = printable_text(top->type, strlen(top->type), NULL);
    char *unit = printable_text(top->unit, strlen(top->unit), NULL);
    printf("type:      %s/%s\n", type, unit);
    printf("total:     %s\n", quantity_of(top->total, top->unit).text);
    printf("duration:  %s\n",
           top->duration_nanos ? quantity_of(top->duration_nanos, "nanoseconds").text : "unknown");
    printf("files:     %" PRIu64 "\n", top->file_count);
    if (top->sample_count > 0)
        printf("samples:   %" PRId64 " in %" PRIu64 " records\n", top->sample_count, top->record_count);
    else
        printf("samples:   %" PRIu64 "\n", top->record_count);
    if (rows < top->frames.count)
        printf("functions: %zu, of which the first %zu follow (--top 0 shows all)\n", top->frames.count,
               rows);
    else
        printf("functions: %zu\n", top->frames.count);
    free(type);
    free(unit);
}

// Cuts the texts so that name and place have |room| columns together, the name first. Returns where the
// places begin.
static size_t lay_out(struct row_text *texts, size_t rows, size_t room)
{
    size_t padding = 0, widest = room == SIZE_MAX ? WIDEST_PADDING : room * 3 / 5;
    for (size_t i = 0; i < rows; i++) {
        cut_end(texts[i].name, &texts[i].name_columns, room);
        if (texts[i].name_columns > padding) padding = texts[i].name_columns;
    }
    if (padding > widest) padding = widest;
    for (size_t i = 0; i < rows; i++) {
        size_t used = (texts[i].name_columns > padding ? texts[i].name_columns : padding) + 2;
        if (used + NARROWEST_PLACE > room)
            texts[i].place[0] = 0;
        else
            cut_front(texts[i].place, &texts[i].place_columns, room - used);
    }
    return padding;
}

void top_print_text(const struct read_top *top, size_t rows)
{
    const struct read_top_frame *frames = top->frames.rows;
    struct row_text *texts = calloc(rows + 1, sizeof *texts);
    if (!texts) abort();
    for (size_t i = 0; i < rows; i++) texts[i] = row_text(&frames[i]);
    size_t padding = lay_out(texts, rows, room_for_names());
    print_header(top, rows);
    printf("\n%12s%8s %12s%8s  %-*s  %s\n", "self", "self %", "cum", "cum %", (int)padding, "function",
           "file:line");
    for (size_t i = 0; i < rows; i++) {
        print_row(top, &frames[i], &texts[i], padding);
        free(texts[i].name);
        free(texts[i].place);
    }
    free(texts);
}
