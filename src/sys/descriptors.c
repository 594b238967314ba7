#include "sys/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/file.h"
#include "sys/rawcall.h"

enum {
    STDERR = 2,
    UNSHARE_TABLE = 2, /* CLOSE_RANGE_UNSHARE */
    STATUS_BYTES = 4096,
    MOST_DESCRIPTORS = 1 << 20
};

static struct {
    int owner; /* the thread with a table of its own, 0: none */
    int prepared, has_stderr;
    struct stat stderr_at_start;
} state;

/* How many numbers the calling thread's table has: FDSize of /proc/PID/status. */
static int table_size(void)
{
    char text[STATUS_BYTES];
    const char *line = file_read_small("/proc/thread-self/status", text, sizeof text) > 0
                           ? strstr(text, "\nFDSize:\t")
                           : NULL;
    int size = 0;
    for (const char *digit = line ? line + 9 : ""; *digit >= '0' && *digit <= '9'; digit++)
        size = size * 10 + (*digit - '0');
    return line ? size : MOST_DESCRIPTORS;
}

/* Linux before 5.9 copies the whole table first. */
static int separate_and_close(void)
{
    int rc = (int)sys_call1(SYS_unshare, CLONE_FILES);
    for (int fd = 0, size = rc ? 0 : table_size(); fd < size; fd++) sys_close(fd);
    return rc;
}

int descriptors_separate(void)
{
    int rc = (int)sys_call3(SYS_close_range, 0, ~0U, UNSHARE_TABLE);
    if (rc) rc = separate_and_close();
    if (!rc) state.owner = sys_gettid();
    return rc;
}

int descriptors_are_separate(void)
{
    return state.owner && state.owner == sys_gettid();
}

void descriptors_prepare(void)
{
    state.prepared = 1;
    state.has_stderr = !sys_call2(SYS_fstat, STDERR, &state.stderr_at_start);
}

static int is_stderr(int fd)
{
    struct stat now;
    if (!state.prepared) return 1;
    return state.has_stderr && !sys_call2(SYS_fstat, fd, &now) &&
           now.st_ino == state.stderr_at_start.st_ino && now.st_dev == state.stderr_at_start.st_dev;
}

/* The application's descriptor itself, as another thread of this process may have it (Linux 5.6). */
static int fetch_stderr(void)
{
    int pidfd = (int)sys_call2(SYS_pidfd_open, sys_getpid(), 0);
    if (pidfd < 0) return pidfd;
    int fd = (int)sys_call3(SYS_pidfd_getfd, pidfd, STDERR, 0);
    sys_close(pidfd);
    return fd;
}

/* The same file, opened anew: not possible with a socket. Without O_NONBLOCK a FIFO that nobody reads would
 * block. */
static int reopen_stderr(void)
{
    int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, "/proc/self/fd/2", flags, 0);
    if (fd >= 0) sys_call3(SYS_fcntl, fd, F_SETFL, O_APPEND);
    return fd;
}

int descriptors_standard_error(void)
{
    if (!descriptors_are_separate()) return is_stderr(STDERR) ? STDERR : -EBADF;
    int fd = fetch_stderr();
    if (fd < 0) fd = reopen_stderr();
    if (fd < 0 || is_stderr(fd)) return fd;
    sys_close(fd);
    return -EBADF;
}

void descriptors_done(int fd)
{
    if (descriptors_are_separate()) sys_close(fd);
}

void descriptors_after_fork(void)
{
    state.owner = 0;
}
