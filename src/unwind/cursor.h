/*
 * Reads of DWARF's byte formats that cannot leave their buffer: past the end a cursor goes |bad| and every
 * read gives 0. Formats: DWARF 5 section 7.6 (LEB128); Linux Standard Base Core 5.0, 10.5.1 (DW_EH_PE_*).
 */
#ifndef OTELPROF_UNWIND_CURSOR_H
#define OTELPROF_UNWIND_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    int bad;
};

enum {
    PE_ABSPTR = 0x00,
    PE_ULEB128 = 0x01,
    PE_UDATA2 = 0x02,
    PE_UDATA4 = 0x03,
    PE_UDATA8 = 0x04,
    PE_SLEB128 = 0x09,
    PE_SDATA2 = 0x0a,
    PE_SDATA4 = 0x0b,
    PE_SDATA8 = 0x0c,
    PE_FORMAT = 0x0f,
    PE_PCREL = 0x10,
    PE_DATAREL = 0x30,
    PE_BASE = 0x70,
    PE_INDIRECT = 0x80,
    PE_OMIT = 0xff
};

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* The |size| bytes at the cursor, little-endian (every supported architecture), zero-extended. */
static inline uint64_t cursor_fixed(struct cursor *c, size_t size)
{
    uint64_t value = 0;
    if (cursor_left(c) < size) {
        c->bad = 1;
        c->at = c->end;
        return 0;
    }
    memcpy(&value, c->at, size);
    c->at += size;
    return value;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    if (c->at < c->end) return *c->at++;
    c->bad = 1;
    return 0;
}

static inline void cursor_skip(struct cursor *c, uint64_t size)
{
    if (cursor_left(c) < size) {
        c->bad = 1;
        c->at = c->end;
    } else {
        c->at += size;
    }
}

/* A number of more than 64 bits keeps its low ones. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = cursor_u8(c);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

static inline int64_t cursor_sleb(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        uint8_t byte = cursor_u8(c);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80) continue;
        if ((byte & 0x40) && shift < 64) value |= ~(uint64_t)0 << shift;
        return (int64_t)value;
    }
}

/* A pointer of the DW_EH_PE format |encoding| (low four bits), sign-extended, no base added. */
static inline uint64_t cursor_pointer(struct cursor *c, uint8_t encoding)
{
    switch (encoding & PE_FORMAT) {
    case PE_ABSPTR:
        return cursor_fixed(c, sizeof(uintptr_t));
    case PE_ULEB128:
        return cursor_uleb(c);
    case PE_UDATA2:
        return cursor_fixed(c, 2);
    case PE_UDATA4:
        return cursor_fixed(c, 4);
    case PE_UDATA8:
        return cursor_fixed(c, 8);
    case PE_SLEB128:
        return (uint64_t)cursor_sleb(c);
    case PE_SDATA2:
        return (uint64_t)(int16_t)cursor_fixed(c, 2);
    case PE_SDATA4:
        return (uint64_t)(int32_t)cursor_fixed(c, 4);
    case PE_SDATA8:
        return cursor_fixed(c, 8);
    default:
        c->bad = 1;
        return 0;
    }
}

#endif
