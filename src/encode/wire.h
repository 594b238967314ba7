/*
 * The protobuf wire format for the tables that are too large for nanopb's callbacks (27 ms where these
 * take 1.4; bench/encode_bench.c). Writers get the place to write to and give the place behind; the caller
 * has worked out the size before and there is room. Source: protobuf.dev/programming-guides/encoding. Pure;
 * any thread.
 */
#ifndef OTELPROF_ENCODE_WIRE_H
#define OTELPROF_ENCODE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

/* One byte for the fields 1 to 15, the only ones these writers know. */
static inline uint8_t wire_tag(unsigned field, unsigned type)
{
    return (uint8_t)(field << 3 | type);
}

/* Bytes of |value| as a varint, 1 to 10: ceil(bits / 7) without a division. */
static inline size_t wire_varint_size(uint64_t value)
{
    return (size_t)((63 - __builtin_clzll(value | 1)) * 9 + 73) / 64;
}

static inline uint8_t *wire_put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* A scalar field; the value 0 is not written, as proto3 wants it. */
static inline size_t wire_field_size(uint64_t value)
{
    return value ? 1 + wire_varint_size(value) : 0;
}

static inline uint8_t *wire_put_field(uint8_t *at, unsigned field, uint64_t value)
{
    if (!value) return at;
    *at++ = wire_tag(field, WIRE_VARINT);
    return wire_put_varint(at, value);
}

/* A fixed64 field; 0 is not written. */
static inline size_t wire_fixed64_size(uint64_t value)
{
    return value ? 1 + sizeof value : 0;
}

static inline uint8_t *wire_put_fixed64(uint8_t *at, unsigned field, uint64_t value)
{
    if (!value) return at;
    *at++ = wire_tag(field, WIRE_FIXED64);
    memcpy(at, &value, sizeof value); /* little-endian, as all machines are that this is built for */
    return at + sizeof value;
}

/* A message, text or packed field of |size| bytes, head included. */
static inline size_t wire_bytes_size(size_t size)
{
    return 1 + wire_varint_size(size) + size;
}

/* Only the head; |size| bytes follow. */
static inline uint8_t *wire_put_head(uint8_t *at, unsigned field, size_t size)
{
    *at++ = wire_tag(field, WIRE_BYTES);
    return wire_put_varint(at, size);
}

static inline uint8_t *wire_put_bytes(uint8_t *at, unsigned field, const void *data, size_t size)
{
    at = wire_put_head(at, field, size);
    memcpy(at, data, size);
    return at + size;
}

#endif
