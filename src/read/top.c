// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // memrchr
#include "top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value_type.h"

// While one profile is added: the frame of each of its functions and of each of its locations without one.
struct adding {
    struct read_top *top;
    const struct read_profile *profile;
    uint32_t *function_frames, *location_frames; // READ_NONE: not asked for yet
};

static int no_memory(struct read_error *error)
{
    return read_fail(error, ENOMEM, "no memory for the functions of the profiles");
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t absolute(int64_t value)
{
    return value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
}

// FNV-1a over the name, a NUL and the file.
static uint64_t hash(struct read_text name, struct read_text file)
{
    uint64_t state = 0xcbf29ce484222325;
    for (size_t i = 0; i < name.size; i++) state = (state ^ (uint8_t)name.bytes[i]) * 0x100000001b3;
    state *= 0x100000001b3;
    for (size_t i = 0; i < file.size; i++) state = (state ^ (uint8_t)file.bytes[i]) * 0x100000001b3;
    return state ^ state >> 32;
}

static struct read_text frame_name(const struct read_top_frame *frame)
{
    return (struct read_text){frame->name, frame->name_size};
}

static struct read_text frame_file(const struct read_top_frame *frame)
{
    return (struct read_text){frame->file, frame->file_size};
}

// The slot of the frame, or the free one where it belongs.
static uint32_t *slot(const struct read_top *top, struct read_text name, struct read_text file)
{
    const struct read_top_frame *frames = top->frames.rows;
    size_t mask = top->index_size - 1;
    for (size_t at = hash(name, file) & mask;; at = (at + 1) & mask) {
        uint32_t *entry = &top->index[at];
        if (!*entry || (read_text_equal(frame_name(&frames[*entry - 1]), name) &&
                        read_text_equal(frame_file(&frames[*entry - 1]), file)))
            return entry;
    }
}

// Keeps the index at most half full.
static bool grow_index(struct read_top *top)
{
    if (top->frames.count * 2 < top->index_size) return true;
    size_t size = top->index_size ? top->index_size * 2 : 1024;
    uint32_t *index = calloc(size, sizeof *index);
    if (!index) return false;
    free(top->index);
    top->index = index;
    top->index_size = size;
    const struct read_top_frame *frames = top->frames.rows;
    for (size_t i = 0; i < top->frames.count; i++)
        *slot(top, frame_name(&frames[i]), frame_file(&frames[i])) = (uint32_t)i + 1;
    return true;
}

static char *copy(struct read_text text)
{
    char *bytes = malloc(text.size + 1);
    if (!bytes) return NULL;
    memcpy(bytes, text.bytes, text.size);
    bytes[text.size] = 0;
    return bytes;
}

// The number of the frame, made if it is new; READ_NONE without memory.
static uint32_t intern(struct read_top *top, struct read_text name, struct read_text file)
{
    if (!grow_index(top) || top->frames.count >= READ_NONE - 1) return READ_NONE;
    uint32_t *entry = slot(top, name, file);
    if (*entry) return *entry - 1;
    char *name_copy = copy(name), *file_copy = copy(file);
    size_t budget = SIZE_MAX;
    struct read_top_frame *frame =
        name_copy && file_copy ? read_table_add(&top->frames, sizeof *frame, &budget) : NULL;
    if (!frame) {
        free(name_copy);
        free(file_copy);
        return READ_NONE;
    }
    frame->name = name_copy;
    frame->name_size = name.size;
    frame->file = file_copy;
    frame->file_size = file.size;
    *entry = (uint32_t)top->frames.count;
    return *entry - 1;
}

// A frame without a function: "[libc.so.6+0x2a0b3]", the offset being the one in the file, which addr2line
// and objdump can be asked about (up to the ELF base); "[0xaddress]" outside any mapping; "[unknown]" without
// an address.
static uint32_t unnamed(struct adding *adding, const struct read_location *location)
{
    char name[512];
    struct read_text binary = {"", 0};
    uint64_t address = location->address;
    if (location->mapping != READ_NONE) {
        const struct read_mapping *mapping = &adding->profile->mappings[location->mapping];
        binary = mapping->file;
        if (binary.size && address) address = address - mapping->start + mapping->offset;
    }
    const char *slash = memrchr(binary.bytes, '/', binary.size);
    const char *base = slash ? slash + 1 : binary.bytes;
    int length;
    if (location->address == 0)
        length = snprintf(name, sizeof name, "[%.400s]", *base ? base : "unknown");
    else
        length = snprintf(name, sizeof name, "[%.400s%s0x%" PRIx64 "]", base, *base ? "+" : "", address);
    return intern(adding->top, (struct read_text){name, (size_t)length}, (struct read_text){"", 0});
}

static uint32_t location_frame(struct adding *adding, uint32_t number)
{
    uint32_t *frame = &adding->location_frames[number];
    if (*frame == READ_NONE) *frame = unnamed(adding, &adding->profile->locations[number]);
    return *frame;
}

static uint32_t line_frame(struct adding *adding, uint32_t location, const struct read_line *line)
{
    const struct read_function *function = &adding->profile->functions[line->function];
    struct read_text name = function->name.size ? function->name : function->system_name;
    if (!name.size) return location_frame(adding, location);
    uint32_t *frame = &adding->function_frames[line->function];
    if (*frame == READ_NONE) *frame = intern(adding->top, name, function->file);
    return *frame;
}

static void keep_smallest(int64_t *line, int64_t seen)
{
    if (seen > 0 && (*line == 0 || seen < *line)) *line = seen;
}

// Counts |frame| once for the current sample.
static void count(struct adding *adding, uint32_t number, const struct read_line *line, bool leaf,
                  int64_t value)
{
    struct read_top *top = adding->top;
    struct read_top_frame *frame = (struct read_top_frame *)top->frames.rows + number;
    if (leaf) frame->self = add(frame->self, value);
    if (line) {
        keep_smallest(&frame->start_line, adding->profile->functions[line->function].start_line);
        keep_smallest(&frame->first_line, line->line);
    }
    if (frame->last_sample == top->sample_stamp) return;
    frame->last_sample = top->sample_stamp;
    frame->cumulative = add(frame->cumulative, value);
}

static bool count_sample(struct adding *adding, const struct read_sample *sample, int64_t value)
{
    const struct read_profile *profile = adding->profile;
    adding->top->sample_stamp++;
    for (uint32_t i = 0; i < sample->location_count; i++) {
        uint32_t number = profile->stack[sample->first_location + i], frame;
        const struct read_location *location = &profile->locations[number];
        if (location->line_count == 0) {
            if ((frame = location_frame(adding, number)) == READ_NONE) return false;
            count(adding, frame, NULL, i == 0, value);
        }
        for (uint32_t l = 0; l < location->line_count; l++) {
            const struct read_line *line = &profile->lines[location->first_line + l];
            if ((frame = line_frame(adding, number, line)) == READ_NONE) return false;
            count(adding, frame, line, i == 0 && l == 0, value);
        }
    }
    return true;
}

static bool is(struct read_text text, const char *word)
{
    return read_text_equal(text, (struct read_text){word, strlen(word)});
}

static bool count_samples(struct adding *adding, size_t type)
{
    const struct read_profile *profile = adding->profile;
    struct read_top *top = adding->top;
    ssize_t events = read_value_type_find(profile, "samples/count");
    for (size_t i = 0; i < profile->sample_count; i++) {
        const int64_t *values = profile->values + i * profile->type_count;
        if (values[type] == 0) continue;
        top->total = add(top->total, absolute(values[type]));
        top->record_count++;
        if (events >= 0) top->sample_count = add(top->sample_count, values[events]);
        if (!count_sample(adding, &profile->samples[i], values[type])) return false;
    }
    return true;
}

static int no_type(const struct read_profile *profile, const char *source, const char *wanted,
                   struct read_error *error)
{
    char types[512];
    read_value_type_list(profile, types, sizeof types);
    return read_fail(error, EINVAL, "%s: it has no sample type %s; choose one of its types with --type: %s",
                     source, wanted, types);
}

// The index of the type to count in |profile|.
static int choose_type(struct read_top *top, const struct read_profile *profile, const char *source,
                       const char *wanted, size_t *type, struct read_error *error)
{
    bool first = top->type == NULL;
    if (!first && !wanted) wanted = top->type;
    ssize_t found = wanted ? read_value_type_find(profile, wanted) : read_value_type_default(profile);
    if (found < 0) return no_type(profile, source, wanted ? wanted : "", error);
    const struct read_value_type *chosen = &profile->types[found];
    if (first) {
        top->type = copy(chosen->type);
        top->unit = copy(chosen->unit);
        top->first_source = strdup(source);
        if (!top->type || !top->unit || !top->first_source) return no_memory(error);
    } else if (!is(chosen->unit, top->unit)) {
        return read_fail(
            error, EINVAL,
            "%s: its type %s is in %s, but in %s in %s; these cannot be added, look at them one by one",
            source, top->type, chosen->unit.bytes, top->unit, top->first_source);
    }
    *type = (size_t)found;
    return 0;
}

static uint32_t *unasked(size_t count)
{
    uint32_t *frames = malloc((count + 1) * sizeof *frames);
    if (frames) memset(frames, 0xff, (count + 1) * sizeof *frames);
    return frames;
}

int read_top_add(struct read_top *top, const struct read_profile *profile, const char *source,
                 const char *wanted, struct read_error *error)
{
    top->file_count++;
    top->duration_nanos = add(top->duration_nanos, profile->duration_nanos);
    if (profile->type_count == 0) return 0;
    size_t type = 0;
    int failed = choose_type(top, profile, source, wanted, &type, error);
    if (failed) return failed;
    struct adding adding = {top, profile, unasked(profile->function_count), unasked(profile->location_count)};
    if (!adding.function_frames || !adding.location_frames || !count_samples(&adding, type))
        failed = no_memory(error);
    free(adding.function_frames);
    free(adding.location_frames);
    return failed;
}

static int compare_text(struct read_text a, struct read_text b)
{
    int order = memcmp(a.bytes, b.bytes, a.size < b.size ? a.size : b.size);
    return order ? order : a.size < b.size ? -1 : a.size > b.size;
}

static int by_self(const void *left, const void *right)
{
    const struct read_top_frame *a = left, *b = right;
    if (a->self != b->self) return a->self > b->self ? -1 : 1;
    if (a->cumulative != b->cumulative) return a->cumulative > b->cumulative ? -1 : 1;
    int order = compare_text(frame_name(a), frame_name(b));
    return order ? order : compare_text(frame_file(a), frame_file(b));
}

static void free_frame(struct read_top_frame *frame)
{
    free(frame->name);
    free(frame->file);
}

void read_top_sort(struct read_top *top)
{
    struct read_top_frame *frames = top->frames.rows;
    size_t kept = 0;
    for (size_t i = 0; i < top->frames.count; i++) {
        if (frames[i].self || frames[i].cumulative)
            frames[kept++] = frames[i];
        else
            free_frame(&frames[i]);
    }
    top->frames.count = kept;
    if (kept) qsort(frames, kept, sizeof *frames, by_self);
}

int64_t read_top_line(const struct read_top_frame *frame)
{
    return frame->start_line ? frame->start_line : frame->first_line;
}

void read_top_free(struct read_top *top)
{
    struct read_top_frame *frames = top->frames.rows;
    for (size_t i = 0; i < top->frames.count; i++) free_frame(&frames[i]);
    read_table_free(&top->frames);
    free(top->index);
    free(top->type);
    free(top->unit);
    free(top->first_source);
}
