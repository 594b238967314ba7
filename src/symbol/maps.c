#include "symbol/maps.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "sys/file.h"
#include "sys/heap.h"

/* vm.max_map_count is 65,530 by default; at 120 bytes a line that is 8 MB. */
#define TEXT_MAX (64u << 20)

int64_t maps_read(char **text)
{
    /* Not /proc/self: that is the main thread, whose memory is gone when it has ended by pthread_exit. */
    int64_t len = file_read_text("/proc/thread-self/maps", TEXT_MAX, text);
    if (len < (int64_t)TEXT_MAX) return len;
    heap_free(*text);
    *text = NULL;
    return -EFBIG;
}

/* A number in |base| at |*at|, then |delimiter|; moves |*at| behind both. */
static int take_number(const char **at, unsigned base, char delimiter, uint64_t *value)
{
    const char *p = *at;
    *value = 0;
    for (;; p++) {
        unsigned digit;
        if (*p >= '0' && *p <= '9')
            digit = (unsigned)(*p - '0');
        else if (base == 16 && *p >= 'a' && *p <= 'f')
            digit = (unsigned)(*p - 'a' + 10);
        else
            break;
        *value = *value * base + digit;
    }
    if (p == *at || *p != delimiter) return 0;
    *at = p + 1;
    return 1;
}

/* "START-LIMIT rwxp OFFSET MAJOR:MINOR INODE    PATH" */
static int parse(const char *at, const char *end, struct maps_line *line)
{
    static const char deleted[] = " (deleted)";
    uint64_t start, limit, major_number, minor_number;
    line->text = at;
    line->text_len = (size_t)(end - at);
    if (!take_number(&at, 16, '-', &start) || !take_number(&at, 16, ' ', &limit) || end - at < 5) return 0;
    line->start = start;
    line->limit = limit;
    line->readable = at[0] == 'r';
    line->writable = at[1] == 'w';
    line->executable = at[2] == 'x';
    at += 5;
    if (!take_number(&at, 16, ' ', &line->offset) || !take_number(&at, 16, ':', &major_number) ||
        !take_number(&at, 16, ' ', &minor_number))
        return 0;
    line->device = makedev((unsigned)major_number, (unsigned)minor_number);
    uint64_t inode = 0;
    while (*at >= '0' && *at <= '9') inode = inode * 10 + (uint64_t)(*at++ - '0');
    line->inode = inode;
    while (at < end && *at == ' ') at++;
    line->path = at;
    line->path_len = at < end ? (size_t)(end - at) : 0;
    size_t cut = sizeof deleted - 1;
    if (line->path_len > cut && !memcmp(end - cut, deleted, cut)) line->path_len -= cut;
    return start < limit;
}

const char *maps_next(const char *at, struct maps_line *line)
{
    while (at && *at) {
        const char *end = strchr(at, '\n');
        const char *next = end ? end + 1 : at + strlen(at);
        if (parse(at, end ? end : next, line)) return next;
        at = next;
    }
    return NULL;
}
