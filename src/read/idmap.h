// SPDX-License-Identifier: Apache-2.0
// From the ids that a file gives its rows to the rows' indexes. Ids are arbitrary 64-bit numbers; most
// writers count 1, 2, 3 ..., for which a lookup is one comparison; others take a binary search.
#ifndef OTELPROF_READ_IDMAP_H
#define OTELPROF_READ_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct read_id {
    uint64_t id;
    uint32_t index;
};

// Fill |ids| (malloc'ed by the caller, |count| rows) and call read_idmap_build(); free |ids| yourself.
struct read_idmap {
    struct read_id *ids;
    size_t count;
};

// Sorts. Returns 0, or -EEXIST with the id that two rows share in |*duplicate|.
int read_idmap_build(struct read_idmap *map, uint64_t *duplicate);

// The index of |id|, or READ_NONE (profile.h).
uint32_t read_idmap_find(const struct read_idmap *map, uint64_t id);

#endif
