// SPDX-License-Identifier: Apache-2.0
#include "pprof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gunzip.h"
#include "legacy.h"
#include "pprof_raw.h"

struct buffer {
    uint8_t *bytes;
    size_t size, capacity;
};

static int grow(struct buffer *buffer, struct read_error *error)
{
    if (buffer->size < buffer->capacity) return 0;
    size_t capacity = buffer->capacity ? buffer->capacity * 2 : (size_t)64 * 1024;
    uint8_t *bytes = realloc(buffer->bytes, capacity);
    if (!bytes) return read_fail(error, ENOMEM, "no memory for %zu bytes", capacity);
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return 0;
}

// Reads to the end rather than by the size that stat(2) says, so that pipes and /dev/stdin work.
static int read_all(int fd, struct buffer *buffer, struct read_error *error)
{
    for (;;) {
        int failed = grow(buffer, error);
        if (failed) return failed;
        ssize_t got = read(fd, buffer->bytes + buffer->size, buffer->capacity - buffer->size);
        if (got == 0) return 0;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_fail(error, errno, "cannot read it: %s", strerror(errno));
        buffer->size += (size_t)got;
        if (buffer->size > READ_PPROF_LIMIT)
            return read_fail(error, EFBIG, "it has more than %zu MiB, which no profile needs",
                             READ_PPROF_LIMIT >> 20);
    }
}

static int parse_plain(const uint8_t *data, size_t size, struct read_profile **profile,
                       struct read_error *error)
{
    if (size == 0)
        return read_fail(error, ENODATA,
                         "it is empty: the program that wrote it was stopped before it had a profile");
    int failed = read_legacy_refuse(data, size, error);
    if (failed) return failed;
    struct pprof_raw raw = {0};
    failed = pprof_raw_decode(&raw, data, size, error);
    if (!failed) failed = pprof_raw_resolve(&raw, profile, error);
    pprof_raw_free(&raw);
    return failed;
}

int read_pprof_bytes(const uint8_t *data, size_t size, struct read_profile **profile,
                     struct read_error *error)
{
    if (!read_is_gzip(data, size)) return parse_plain(data, size, profile, error);
    uint8_t *plain;
    size_t plain_size;
    int failed = read_gunzip(data, size, READ_PPROF_LIMIT, &plain, &plain_size, error);
    if (failed) return failed;
    failed = parse_plain(plain, plain_size, profile, error);
    free(plain);
    return failed;
}

int read_pprof_file(const char *path, struct read_profile **profile, struct read_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_fail(error, errno, "%s: cannot open it: %s", path, strerror(errno));
    struct buffer file = {0};
    int failed = read_all(fd, &file, error);
    close(fd);
    if (!failed) failed = read_pprof_bytes(file.bytes, file.size, profile, error);
    free(file.bytes);
    if (failed) read_fail(error, 0, "%s: %s", path, error->text);
    return failed;
}
