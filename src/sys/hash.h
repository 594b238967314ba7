/* One hash for all our tables: FNV-1a over bytes with a final mix (MurmurHash3's fmix64). Not for hostile
 * input. */
#ifndef OTELPROF_SYS_HASH_H
#define OTELPROF_SYS_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ h >> 33;
}

static inline uint64_t hash_bytes(const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t h = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < len; i++) h = (h ^ p[i]) * 0x100000001b3ULL;
    return hash_mix(h);
}

/* Continues |h| with one more value. */
static inline uint64_t hash_combine(uint64_t h, uint64_t value)
{
    return hash_mix(h * 0x9e3779b97f4a7c15ULL + value);
}

#endif
