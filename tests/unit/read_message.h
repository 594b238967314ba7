// SPDX-License-Identifier: Apache-2.0
// A protobuf writer for the reader's tests: independent of nanopb, and able to write what no good writer
// would.
#ifndef OTELPROF_TESTS_READ_MESSAGE_H
#define OTELPROF_TESTS_READ_MESSAGE_H

#include <stdint.h>
#include <string.h>
#include <zlib.h>

// A message under construction; big enough for every test.
struct message {
    uint8_t bytes[8192];
    size_t size;
};

static inline void put_varint(struct message *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) message->bytes[message->size++] = (uint8_t)(value | 0x80);
    message->bytes[message->size++] = (uint8_t)value;
}

static inline void put_number(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3);
    put_varint(message, value);
}

static inline void put_bytes(struct message *message, unsigned field, const void *bytes, size_t size)
{
    put_varint(message, field << 3 | 2);
    put_varint(message, size);
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static inline void put_message(struct message *message, unsigned field, const struct message *inner)
{
    put_bytes(message, field, inner->bytes, inner->size);
}

static inline void put_packed(struct message *message, unsigned field, const uint64_t *values, size_t count)
{
    struct message inner = {.size = 0};
    for (size_t i = 0; i < count; i++) put_varint(&inner, values[i]);
    put_message(message, field, &inner);
}

static inline void put_strings(struct message *profile, const char *const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++) put_bytes(profile, 6, strings[i], strlen(strings[i]));
}

static inline void put_value_type(struct message *profile, unsigned field, uint64_t type, uint64_t unit)
{
    struct message inner = {.size = 0};
    put_number(&inner, 1, type);
    put_number(&inner, 2, unit);
    put_message(profile, field, &inner);
}

static inline void put_sample(struct message *profile, const uint64_t *locations, size_t location_count,
                              const uint64_t *values, size_t value_count)
{
    struct message inner = {.size = 0};
    put_packed(&inner, 1, locations, location_count);
    put_packed(&inner, 2, values, value_count);
    put_message(profile, 2, &inner);
}

static inline void put_mapping(struct message *profile, uint64_t id, uint64_t start, uint64_t limit,
                               uint64_t offset, uint64_t file)
{
    uint64_t fields[] = {id, start, limit, offset, file};
    struct message inner = {.size = 0};
    for (unsigned i = 0; i < 5; i++) put_number(&inner, i + 1, fields[i]);
    put_message(profile, 3, &inner);
}

static inline void put_function(struct message *profile, uint64_t id, uint64_t name, uint64_t file,
                                uint64_t start_line)
{
    struct message inner = {.size = 0};
    put_number(&inner, 1, id);
    put_number(&inner, 2, name);
    put_number(&inner, 4, file);
    put_number(&inner, 5, start_line);
    put_message(profile, 5, &inner);
}

// A location with |count| lines, each {function, line}, innermost first.
static inline void put_location(struct message *profile, uint64_t id, uint64_t mapping, uint64_t address,
                                const uint64_t (*lines)[2], size_t count)
{
    struct message inner = {.size = 0};
    put_number(&inner, 1, id);
    put_number(&inner, 2, mapping);
    put_number(&inner, 3, address);
    for (size_t i = 0; i < count; i++) {
        struct message line = {.size = 0};
        put_number(&line, 1, lines[i][0]);
        put_number(&line, 2, lines[i][1]);
        put_message(&inner, 4, &line);
    }
    put_message(profile, 4, &inner);
}

// |size| bytes as one gzip member; returns its length.
static inline size_t gzip_member(const void *bytes, size_t size, uint8_t *out, size_t room)
{
    z_stream stream = {0};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

// A profile with something of everything. Strings: see sample_strings.
static const char *const sample_strings[] = {"",          "samples",     "count", "cpu",      "nanoseconds",
                                             "main",      "/app/main.c", "inner", "outer",    "/lib/libx.so",
                                             "thread id", "host",        "web-1", "a comment"};

static inline void put_sample_profile(struct message *profile)
{
    put_value_type(profile, 1, 1, 2);
    put_value_type(profile, 1, 3, 4);
    struct message sample = {.size = 0}, label = {.size = 0};
    put_packed(&sample, 1, (uint64_t[]){900, 7}, 2);
    put_packed(&sample, 2, (uint64_t[]){2, 20}, 2);
    put_number(&label, 1, 11);
    put_number(&label, 2, 12);
    put_message(&sample, 3, &label);
    label.size = 0;
    put_number(&label, 1, 10);
    put_number(&label, 3, 4242);
    put_number(&label, 4, 2);
    put_message(&sample, 3, &label);
    put_message(profile, 2, &sample);
    put_sample(profile, (uint64_t[]){1ULL << 63, 7}, 2, (uint64_t[]){1, 10}, 2);
    put_mapping(profile, 33, 0x400000, 0x500000, 0x1000, 9);
    put_location(profile, 7, 33, 0x400010, (uint64_t[][2]){{5, 12}}, 1);
    put_location(profile, 900, 33, 0x400100, (uint64_t[][2]){{1000, 31}, {2, 41}}, 2);
    put_location(profile, 1ULL << 63, 33, 0x400200, NULL, 0);
    put_function(profile, 5, 5, 6, 10);
    put_function(profile, 1000, 7, 6, 30);
    put_function(profile, 2, 8, 6, 0);
    put_strings(profile, sample_strings, sizeof sample_strings / sizeof *sample_strings);
    put_number(profile, 9, 1700000000000000000);
    put_number(profile, 10, 5000000000);
    put_value_type(profile, 11, 3, 4);
    put_number(profile, 12, 10000000);
    put_packed(profile, 13, (uint64_t[]){13}, 1);
    put_number(profile, 14, 1);
}

#endif
