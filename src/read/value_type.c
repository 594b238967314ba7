// SPDX-License-Identifier: Apache-2.0
#include "value_type.h"

#include <stdio.h>
#include <string.h>

bool read_text_equal(struct read_text a, struct read_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// The first type of this name, and of this unit unless |unit| is NULL.
static ssize_t find(const struct read_profile *profile, struct read_text type, const struct read_text *unit)
{
    for (size_t i = 0; i < profile->type_count; i++)
        if (read_text_equal(profile->types[i].type, type) &&
            (!unit || read_text_equal(profile->types[i].unit, *unit)))
            return (ssize_t)i;
    return -1;
}

ssize_t read_value_type_find(const struct read_profile *profile, const char *wanted)
{
    ssize_t found = find(profile, (struct read_text){wanted, strlen(wanted)}, NULL);
    for (const char *at = wanted; found < 0 && (at = strpbrk(at, ":/")); at++) {
        struct read_text unit = {at + 1, strlen(at + 1)};
        found = find(profile, (struct read_text){wanted, (size_t)(at - wanted)}, &unit);
    }
    return found;
}

ssize_t read_value_type_default(const struct read_profile *profile)
{
    ssize_t found = -1;
    if (profile->default_type.size) found = find(profile, profile->default_type, NULL);
    return found >= 0 ? found : (ssize_t)profile->type_count - 1;
}

void read_value_type_list(const struct read_profile *profile, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < profile->type_count && used < size; i++) {
        int wrote = snprintf(text + used, size - used, "%s%s/%s", i ? ", " : "", profile->types[i].type.bytes,
                             profile->types[i].unit.bytes);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
