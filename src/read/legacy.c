// SPDX-License-Identifier: Apache-2.0
#include "legacy.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const char *const gperftools_texts[] = {
    "heap profile:",  "heapz ",      "growth",     "--- symbol", "--- heap",   "--- growth",
    "--- contention", "--- profile", "--- thread", "--- Stats",  "--- Memory",
};
static const char *const go_texts[] = {"goroutine profile:", "threadcreate profile:", "cycles/second",
                                       "goroutine 1 ["};

static bool starts_with(const uint8_t *data, size_t size, const char *text)
{
    size_t length = strlen(text);
    return size >= length && memcmp(data, text, length) == 0;
}

static uint64_t word(const uint8_t *at, size_t width, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) value = value << 8 | at[big_endian ? i : width - 1 - i];
    return value;
}

// A gperftools CPU profile begins with the words 0 (header count), 3 (header words), 0 (version), of 4 or 8
// bytes.
static bool is_gperftools_cpu(const uint8_t *data, size_t size)
{
    for (size_t width = 4; width <= 8; width *= 2)
        for (int big_endian = 0; big_endian <= 1; big_endian++)
            if (size >= 3 * width && word(data, width, big_endian) == 0 &&
                word(data + width, width, big_endian) == 3 && word(data + 2 * width, width, big_endian) == 0)
                return true;
    return false;
}

int read_legacy_refuse(const uint8_t *data, size_t size, struct read_error *error)
{
    bool gperftools = is_gperftools_cpu(data, size);
    for (size_t i = 0; i < sizeof gperftools_texts / sizeof *gperftools_texts; i++)
        gperftools = gperftools || starts_with(data, size, gperftools_texts[i]);
    if (gperftools)
        return read_fail(error, ENOTSUP,
                         "it is a legacy gperftools profile, not a pprof protobuf; convert it with: "
                         "go tool pprof -proto -output=NEW.pb.gz PROGRAM FILE");
    for (size_t i = 0; i < sizeof go_texts / sizeof *go_texts; i++)
        if (starts_with(data, size, go_texts[i]))
            return read_fail(
                error, ENOTSUP,
                "it is Go's text form of a profile, not a pprof protobuf; fetch it again without "
                "?debug= (debug=0)");
    return 0;
}
