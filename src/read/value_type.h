// SPDX-License-Identifier: Apache-2.0
// Which of a profile's sample types is meant.
#ifndef OTELPROF_READ_VALUE_TYPE_H
#define OTELPROF_READ_VALUE_TYPE_H

#include <stddef.h>
#include <sys/types.h>

#include "profile.h"

bool read_text_equal(struct read_text a, struct read_text b);

// The index of the type that |wanted| names: a type ("cpu"), or type and unit ("cpu/nanoseconds",
// "cpu:nanoseconds"); -1 if the profile has none such.
ssize_t read_value_type_find(const struct read_profile *profile, const char *wanted);

// The index of the type to show when nothing else is said: the profile's default type, else the last, which
// is pprof's convention (google/pprof, Profile.SampleIndexByName); -1 if the profile has no type.
ssize_t read_value_type_default(const struct read_profile *profile);

// Writes the names of the types, "samples/count, cpu/nanoseconds", to |text| (cut at |size|).
void read_value_type_list(const struct read_profile *profile, char *text, size_t size);

#endif
