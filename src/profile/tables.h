/* What the files of src/profile share: growing a table within the profile's limit. */
#ifndef OTELPROF_PROFILE_TABLES_H
#define OTELPROF_PROFILE_TABLES_H

#include "profile/profile.h"

/* heap_grow for |*array| (|*cap| elements of |size| bytes) so that |extra| more fit behind |used|: 0 or
 * -ENOMEM, also when the profile's limit forbids it or |used| + |extra| does not fit uint32_t. */
int profile_grow(struct profile *profile, void *array, size_t *cap, uint32_t used, size_t extra, size_t size);

/* index_add within the profile's limit. */
int profile_index(struct profile *profile, struct index *index, uint32_t hash, uint32_t id);

/* Counts a datum that is left out; gives 0, "none". */
uint32_t profile_drop(struct profile *profile);

#endif
