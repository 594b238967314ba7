// SPDX-License-Identifier: Apache-2.0
#include "profile.h"

#include <stdlib.h>

void read_profile_free(struct read_profile *profile)
{
    if (!profile) return;
    free(profile->types);
    free(profile->mappings);
    free(profile->functions);
    free(profile->locations);
    free(profile->lines);
    free(profile->samples);
    free(profile->values);
    free(profile->stack);
    free(profile->labels);
    free(profile->comments);
    free(profile->strings);
    free(profile->string_bytes);
    free(profile);
}
