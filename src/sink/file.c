#include "sink/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>

#include "encode/gzip.h"
#include "encode/pprof.h"
#include "sink/file_name.h"
#include "sink/sink.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/log.h"
#include "sys/rawcall.h"

enum {
    PATH_BYTES = 4096, /* PATH_MAX */
    NAME_BYTES = 256,
    NAME_TRIES = 100
};

static const int64_t complaint_interval = 60 * NANOS_PER_SECOND;

/* Causes that users can do something about. */
static const struct remedy {
    int error;
    const char *cause, *remedy;
} remedies[] = {
    {ENOSPC, "no space left on the device", "free some, or set OTEL_PROFILING_FILE_DIR to another volume"},
    {EDQUOT, "disk quota exceeded", "free some, or set OTEL_PROFILING_FILE_DIR to another volume"},
    {EROFS, "read-only file system", "mount a writable volume there, or set OTEL_PROFILING_FILE_DIR"},
    {EACCES, "permission denied",
     "make it writable for the user of this process, or set OTEL_PROFILING_FILE_DIR"},
    {EPERM, "operation not permitted",
     "make it writable for the user of this process, or set OTEL_PROFILING_FILE_DIR"},
    {ENOTDIR, "a part of the path is not a directory", "set OTEL_PROFILING_FILE_DIR to a directory"},
    {EEXIST, "all names for the file are taken", "remove old profiles from the directory"},
    {ENAMETOOLONG, "the path is too long", "set OTEL_PROFILING_FILE_DIR to a shorter one"},
    {EFBIG, "larger than files may be", "raise the limit of this process (ulimit -f)"},
    {EMFILE, "too many open files in this process", "raise the limit (ulimit -n)"},
    {ENOMEM, "no memory for encoding the profile",
     "give the process more memory, or shorten "
     "OTEL_PROFILING_COLLECTION_INTERVAL_MS"},
    {0, "see errno(3)", "set OTEL_PROFILING_FILE_DIR to a writable directory"},
};

/* |lost| profiles could not be written to |path|. */
static void complain(struct sink_file *file, const char *path, int error, unsigned lost)
{
    int64_t now = clock_monotonic();
    file->lost += lost;
    if (now < file->quiet_until) return;
    const struct remedy *r = remedies;
    while (r->error && r->error != error) r++;
    log_error("cannot write profile %s: %s (errno %d); %s. Profiles lost since the last message: %lu", path,
              r->cause, error, r->remedy, file->lost);
    file->quiet_until = now + complaint_interval;
    file->lost = 0;
}

int sink_file_open(struct sink_file *file, const char *directory)
{
    *file = (struct sink_file){0};
    char *path = heap_alloc(2 * PATH_BYTES);
    if (!path) return -ENOMEM;
    /* getcwd(2): the length with terminator; a directory out of our root has a name that does not begin with
     * '/'. */
    long n = *directory == '/' ? 0 : sys_call2(SYS_getcwd, path, PATH_BYTES);
    if (n > 0 && path[0] == '/')
        fmt_text(path + n - 1, (size_t)(2 * PATH_BYTES - n), "/%s", directory);
    else
        fmt_text(path, 2 * PATH_BYTES, "%s", directory);
    file->directory = heap_strndup(path, strlen(path));
    heap_free(path);
    return file->directory ? 0 : -ENOMEM;
}

void sink_file_close(struct sink_file *file)
{
    heap_free(file->directory);
    *file = (struct sink_file){0};
}

/* A file on its way: all names are |directory| and one component. */
struct draft {
    char directory[PATH_BYTES];
    char temporary[PATH_BYTES + NAME_BYTES];
    char final[PATH_BYTES + NAME_BYTES];
    char stem[NAME_BYTES]; /* kind-time-pid */
};

static void set_path(char *path, const struct draft *draft, const char *prefix, unsigned attempt)
{
    char suffix[16] = "";
    if (attempt) fmt_text(suffix, sizeof suffix, "-%u", attempt);
    fmt_text(path, PATH_BYTES + NAME_BYTES, "%s/%s%s%s.pb.gz", draft->directory, prefix, draft->stem, suffix);
}

/* rename(2) that does not replace: containers that share a volume may have the same pid and time. */
static int rename_to_new(const char *from, const char *to)
{
    int rc = (int)sys_call5(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (rc != -EINVAL && rc != -ENOSYS) return rc;
    /* Linux before 3.15, or a file system that cannot (NFS, some FUSE): a short race is left. */
    struct stat st;
    if (!file_stat(to, &st, 1)) return -EEXIST;
    return (int)sys_call5(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Opens a file that did not exist; draft->temporary is its path. */
static int open_temporary(struct draft *draft)
{
    int fd = -EEXIST;
    for (unsigned attempt = 0; fd == -EEXIST && attempt < NAME_TRIES; attempt++) {
        set_path(draft->temporary, draft, ".tmp-", attempt);
        fd = file_open(draft->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
    }
    return fd;
}

static int write_draft(struct draft *draft, const struct encode_buffer *data)
{
    set_path(draft->final, draft, "", 0);
    int fd = open_temporary(draft);
    if (fd < 0) return fd;
    int rc = file_write_all(fd, data->data, data->size);
    int closed = sys_close(fd); /* NFS and quotas report here */
    if (!rc) rc = closed;
    int renamed = -EEXIST;
    for (unsigned attempt = 0; !rc && renamed == -EEXIST && attempt < NAME_TRIES; attempt++) {
        set_path(draft->final, draft, "", attempt);
        renamed = rename_to_new(draft->temporary, draft->final);
    }
    if (!rc) rc = renamed;
    if (rc) sys_call3(SYS_unlinkat, AT_FDCWD, draft->temporary, 0);
    return rc;
}

static int write_profile(struct draft *draft, const struct export_window *window,
                         const struct profile *profile)
{
    char time[FILE_NAME_TIME_MAX];
    file_name_time(window->start_realtime, time);
    fmt_text(draft->stem, sizeof draft->stem, "%s-%s-%d", profile->kind->name, time, window->pid);
    set_path(draft->final, draft, "", 0); /* what a message names if encoding fails */
    struct encode_buffer message = {0}, compressed = {0};
    int rc = pprof_encode(profile, &message);
    if (!rc) rc = gzip_compress(message.data, message.size, GZIP_LEVEL, &compressed);
    encode_buffer_free(&message);
    if (!rc) rc = write_draft(draft, &compressed);
    encode_buffer_free(&compressed);
    return rc;
}

static unsigned count_with_samples(const struct export_window *window)
{
    unsigned n = 0;
    for (unsigned i = 0; i < window->count; i++) n += window->profiles[i]->samples.count > 0;
    return n;
}

/* <directory>/<service>, made if it is not there. */
static int make_directory(const struct sink_file *file, struct draft *draft, const char *service)
{
    char component[FILE_NAME_COMPONENT_MAX];
    file_name_component(service, component);
    size_t n = fmt_text(draft->directory, sizeof draft->directory, "%s/%s", file->directory, component);
    return n == sizeof draft->directory - 1 ? -ENAMETOOLONG : file_make_directories(draft->directory);
}

static int write_window(struct sink_file *file, struct draft *draft, const struct export_window *window)
{
    int first = make_directory(file, draft, window->service);
    if (first) {
        complain(file, draft->directory, -first, count_with_samples(window));
        return first;
    }
    for (unsigned i = 0; i < window->count; i++) {
        if (!window->profiles[i]->samples.count) continue;
        int rc = write_profile(draft, window, window->profiles[i]);
        if (rc) complain(file, draft->final, -rc, 1);
        if (!first) first = rc;
    }
    return first;
}

int sink_file_write(struct sink_file *file, const struct export_window *window)
{
    unsigned profiles = count_with_samples(window);
    if (!profiles) return 0;
    struct draft *draft = heap_zalloc(1, sizeof *draft);
    if (!draft) {
        complain(file, file->directory, ENOMEM, profiles);
        return -ENOMEM;
    }
    int rc = write_window(file, draft, window);
    heap_free(draft);
    return rc;
}
