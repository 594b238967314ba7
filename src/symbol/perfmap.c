#include "symbol/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "symbol/rangemap.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/log.h"
#include "sys/rawcall.h"
#include "sys/utf8.h"

enum {
    CHUNK_BYTES = 64 * 1024, /* also the longest line */
    UPDATE_BYTES = 16 * 1024 * 1024,
    NAME_LEN_BITS = 20
};

/* The kernel stamps files with its coarse clock (up to 10 ms behind), and process starts in 10 ms ticks. */
#define MTIME_SLACK_NANOS (50 * 1000000LL)

struct perfmap {
    char *path;
    int64_t process_start;
    uint64_t device, inode; /* of the file that |ranges| came from */
    uint64_t offset;        /* up to here the file is read */
    int skipping;           /* inside a line longer than a chunk */
    int reason_logged, full_logged;
    struct rangemap ranges; /* payload: offset of the name << NAME_LEN_BITS | its length */
    struct perfmap_stats stats;
};

struct perfmap *perfmap_open_path(const char *path, int64_t process_start_realtime)
{
    struct perfmap *map = heap_zalloc(1, sizeof *map);
    if (!map) return NULL;
    map->path = heap_strndup(path, strlen(path));
    if (!map->path) {
        heap_free(map);
        return NULL;
    }
    map->process_start = process_start_realtime;
    rangemap_init(&map->ranges, NULL, NULL);
    return map;
}

struct perfmap *perfmap_open(int pid, int64_t process_start_realtime)
{
    char path[64];
    fmt_text(path, sizeof path, "/tmp/perf-%d.map", pid);
    return perfmap_open_path(path, process_start_realtime);
}

void perfmap_close(struct perfmap *map)
{
    if (!map) return;
    rangemap_clear(&map->ranges);
    heap_free(map->path);
    heap_free(map);
}

static int check_file(const struct perfmap *map, const struct stat *st)
{
    if (!S_ISREG(st->st_mode) || st->st_uid != (uid_t)sys_call0(SYS_geteuid)) return -EPERM;
    int64_t written = (int64_t)st->st_mtim.tv_sec * NANOS_PER_SECOND + st->st_mtim.tv_nsec;
    return written + MTIME_SLACK_NANOS < map->process_start ? -ESTALE : 0;
}

/* A descriptor of the file if it may be trusted, or a negative errno. O_NONBLOCK: it could be a pipe. */
static int open_checked(const struct perfmap *map, struct stat *st)
{
    int fd = file_open(map->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) return fd;
    int rc = (int)sys_call2(SYS_fstat, fd, st);
    if (!rc) rc = check_file(map, st);
    if (!rc) return fd;
    sys_close(fd);
    return rc;
}

static void log_reason(struct perfmap *map, int rc)
{
    if (map->reason_logged) return;
    map->reason_logged = 1;
    const char *reason = rc == -ENOENT   ? "there is none"
                         : rc == -ELOOP  ? "it is a symbolic link"
                         : rc == -EPERM  ? "it is not a regular file of our user"
                         : rc == -ESTALE ? "it was last written before this process began"
                                         : "it cannot be read";
    log_debug("perf map %s not used: %s (errno %d)", map->path, reason, -rc);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* A hexadecimal number of 1 to 16 digits at |*at|; moves |*at| behind it. 1, or 0 if there is none. */
static int parse_hex(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) p += 2;
    const char *first = p;
    *value = 0;
    for (int digit; p < end && p - first < 17 && (digit = hex_digit(*p)) >= 0; p++)
        *value = *value << 4 | (uint64_t)digit;
    *at = p;
    return p > first && p - first < 17;
}

/* "ADDRESS SIZE NAME" between |at| and |end|: 1, the numbers, and where the name begins; or 0. */
static int parse_line(const char *at, const char *end, uint64_t *start, uint64_t *size, const char **name)
{
    if (!parse_hex(&at, end, start) || at == end || *at != ' ') return 0;
    while (at < end && *at == ' ') at++;
    if (!parse_hex(&at, end, size) || (at < end && *at != ' ')) return 0;
    *name = at < end ? at + 1 : at;
    return *size > 0;
}

/* Takes the line [at, end), which is at |offset| in the file: 1 if it is taken. */
static int take_line(struct perfmap *map, const char *at, const char *end, uint64_t offset)
{
    uint64_t start, size;
    const char *name, *line = at;
    if (end > at && end[-1] == '\r') end--;
    if (!parse_line(at, end, &start, &size, &name)) {
        map->stats.skipped++;
        return 0;
    }
    uint64_t payload = (offset + (uint64_t)(name - line)) << NAME_LEN_BITS | (uint64_t)(end - name);
    int rc = rangemap_insert(&map->ranges, start, size, payload);
    if (rc == -EINVAL) {
        map->stats.skipped++;
        return 0;
    }
    if (!rc && map->ranges.count > PERFMAP_RANGE_MAX) {
        /* Inserted first: the old code that it overwrote is dead even when there is no room for the new. */
        rangemap_remove(&map->ranges, start);
        rc = -ENOSPC;
        if (!map->full_logged)
            log_warn("perf map %s has more than %d code ranges: further ones stay without a name", map->path,
                     PERFMAP_RANGE_MAX);
        map->full_logged = 1;
    }
    if (rc) map->stats.dropped++;
    return !rc;
}

/* Takes the whole lines of a chunk that is at |map->offset|; returns their number. */
static int take_chunk(struct perfmap *map, const char *chunk, size_t len)
{
    int taken = 0;
    size_t at = 0;
    const char *newline;
    while (at < len && (newline = memchr(chunk + at, '\n', len - at))) {
        if (map->skipping)
            map->stats.skipped++;
        else
            taken += take_line(map, chunk + at, newline, map->offset + at);
        map->skipping = 0;
        at = (size_t)(newline - chunk) + 1;
    }
    if (at == 0 && len == CHUNK_BYTES) map->skipping = 1;
    map->offset += map->skipping ? len : at;
    return taken;
}

static int read_new_lines(struct perfmap *map, int fd)
{
    char *chunk = heap_alloc(CHUNK_BYTES);
    if (!chunk) return -ENOMEM;
    int taken = 0;
    int64_t n;
    uint64_t until = map->offset + UPDATE_BYTES;
    do {
        n = file_read_at(fd, chunk, CHUNK_BYTES, map->offset);
        if (n > 0) taken += take_chunk(map, chunk, (size_t)n);
    } while (n == CHUNK_BYTES && map->offset < until);
    heap_free(chunk);
    map->stats.lines += (uint64_t)taken;
    return n < 0 ? (int)n : taken;
}

int perfmap_update(struct perfmap *map)
{
    struct stat st;
    int fd = open_checked(map, &st);
    if (fd < 0) {
        log_reason(map, fd);
        return fd;
    }
    if (st.st_ino != map->inode || st.st_dev != map->device || (uint64_t)st.st_size < map->offset) {
        rangemap_clear(&map->ranges);
        map->device = st.st_dev;
        map->inode = st.st_ino;
        map->offset = 0;
        map->skipping = 0;
    }
    int rc = (uint64_t)st.st_size > map->offset ? read_new_lines(map, fd) : 0;
    sys_close(fd);
    return rc;
}

/* Cuts |len| so that no character is left half. */
static size_t cut_at_character(const char *name, size_t len)
{
    size_t at = len;
    while (at && len - at < 4 && ((unsigned char)name[at - 1] & 0xc0) == 0x80) at--;
    if (at && ((unsigned char)name[at - 1] & 0xc0) == 0xc0 && !utf8_sequence(name + at - 1, len - at + 1))
        return at - 1;
    return len;
}

int perfmap_lookup(struct perfmap *map, uintptr_t pc, struct perfmap_symbol *out)
{
    struct rangemap_range range;
    if (!rangemap_lookup(&map->ranges, pc, &range)) return 0;
    struct stat st;
    int fd = open_checked(map, &st);
    if (fd < 0) return 0;
    size_t len = range.payload & ((1u << NAME_LEN_BITS) - 1);
    size_t take = len < sizeof out->name ? len : sizeof out->name - 1;
    int64_t n = -ESTALE;
    if (st.st_ino == map->inode && st.st_dev == map->device && (uint64_t)st.st_size >= map->offset)
        n = file_read_at(fd, out->name, take, range.payload >> NAME_LEN_BITS);
    sys_close(fd);
    if (n != (int64_t)take) return 0;
    if (take < len) take = cut_at_character(out->name, take);
    out->name[take] = 0;
    out->name_len = take;
    out->start = range.start;
    out->size = range.len;
    return 1;
}

void perfmap_stats(const struct perfmap *map, struct perfmap_stats *stats)
{
    *stats = map->stats;
    stats->ranges = map->ranges.count;
    stats->bytes = rangemap_bytes(&map->ranges);
}
