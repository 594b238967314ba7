/*
 * Files by raw system calls. Descriptors are close-on-exec. In the application's table (sys/descriptors.h)
 * they are numbered from 512 up where RLIMIT_NOFILE allows, so that the application's next open still gets
 * the lowest number, and none is kept open between two uses: an application may close every descriptor, or
 * reuse ours. Not for signal handlers. Negative errno on errors.
 */
#ifndef OTELPROF_SYS_FILE_H
#define OTELPROF_SYS_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* open(2) with O_CLOEXEC; the descriptor or a negative errno. |mode| counts with O_CREAT. */
int file_open(const char *path, int flags, int mode);

/* Reads up to |size| bytes at |offset|; retries what is interrupted; the bytes read (short at the end). */
int64_t file_read_at(int fd, void *buffer, size_t size, uint64_t offset);

/* The whole of a file that has no known size (/proc), at most |limit| bytes, terminated; the caller frees
 * |*text| with heap_free. Returns its length. */
int64_t file_read_text(const char *path, size_t limit, char **text);

/* A small file into |buffer|, terminated; the bytes read. */
int64_t file_read_small(const char *path, char *buffer, size_t size);

/* All |size| bytes, or a negative errno. */
int file_write_all(int fd, const void *data, size_t size);

/* mkdir -p; 0 when the directory is there at the end. */
int file_make_directories(const char *path);

/* The target of a symbolic link, terminated; its length. */
int file_read_link(const char *path, char *target, size_t size);

/* stat(2), or lstat(2) when |nofollow|. */
int file_stat(const char *path, struct stat *st, int nofollow);

#endif
