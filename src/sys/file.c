#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "sys/descriptors.h"
#include "sys/heap.h"
#include "sys/rawcall.h"

enum { HIGH_FD = 512, PROC_CHUNK = 64 * 1024 };

/* The application may have closed |low|, and have something else there now. */
static int is_same_file(int low, int high)
{
    struct stat a, b;
    return !sys_call2(SYS_fstat, low, &a) && !sys_call2(SYS_fstat, high, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

int file_open(const char *path, int flags, int mode)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
    if (fd < 0 || fd >= HIGH_FD || descriptors_are_separate()) return fd;
    int high = (int)sys_call3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high < 0) return fd; /* the limit is lower: rather this number than none */
    if (is_same_file(fd, high)) sys_close(fd);
    return high;
}

int64_t file_read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        long n = sys_call4(SYS_pread64, fd, (char *)buffer + done, size - done, offset + done);
        if (n == -EINTR) continue;
        if (n < 0) return done ? (int64_t)done : n;
        if (n == 0) break;
        done += (size_t)n;
    }
    return (int64_t)done;
}

/* /proc files want read(2) in sequence: the kernel makes them line by line as they are read. */
static int64_t read_sequence(int fd, char *buffer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        long n = sys_call3(SYS_read, fd, buffer + done, size - done);
        if (n == -EINTR) continue;
        if (n < 0) return n;
        if (n == 0) break;
        done += (size_t)n;
    }
    return (int64_t)done;
}

int64_t file_read_text(const char *path, size_t limit, char **text)
{
    *text = NULL;
    int fd = file_open(path, O_RDONLY, 0);
    if (fd < 0) return fd;
    size_t used = 0, cap = 0;
    int64_t n;
    do {
        if (heap_grow(text, &cap, used + PROC_CHUNK + 1, 1)) {
            n = -ENOMEM;
            break;
        }
        n = read_sequence(fd, *text + used, PROC_CHUNK);
        if (n > 0) used += (size_t)n;
    } while (n == PROC_CHUNK && used < limit);
    sys_close(fd);
    if (n < 0) {
        heap_free(*text);
        *text = NULL;
        return n;
    }
    (*text)[used] = 0;
    return (int64_t)used;
}

int64_t file_read_small(const char *path, char *buffer, size_t size)
{
    int fd = file_open(path, O_RDONLY, 0);
    if (fd < 0) return fd;
    int64_t n = read_sequence(fd, buffer, size - 1);
    sys_close(fd);
    if (n >= 0) buffer[n] = 0;
    return n;
}

int file_write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size) {
        long n = sys_call3(SYS_write, fd, at, size);
        if (n == -EINTR) continue;
        if (n < 0) return (int)n;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

int file_make_directories(const char *path)
{
    char part[4096];
    size_t len = strlen(path);
    int failed = 0; /* the first refusal: what follows from it says less */
    if (len == 0 || len >= sizeof part) return -ENAMETOOLONG;
    for (size_t i = 1; i <= len; i++) {
        if (i < len && path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        int rc = (int)sys_call3(SYS_mkdirat, AT_FDCWD, part, 0777);
        if (rc && rc != -EEXIST && !failed) failed = rc;
    }
    struct stat st;
    if (file_stat(path, &st, 0)) return failed ? failed : -ENOENT;
    return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int file_read_link(const char *path, char *target, size_t size)
{
    long n = sys_call4(SYS_readlinkat, AT_FDCWD, path, target, size - 1);
    if (n >= 0) target[n] = 0;
    return (int)n;
}

int file_stat(const char *path, struct stat *st, int nofollow)
{
    return (int)sys_call4(SYS_newfstatat, AT_FDCWD, path, st, nofollow ? AT_SYMLINK_NOFOLLOW : 0);
}
