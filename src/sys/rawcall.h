/*
 * System calls without libc: the result is the kernel's, a negative errno for an error. Nothing here touches
 * errno or thread-local storage, so all of it is async-signal-safe and may run on a thread that libc does not
 * know.
 */
#ifndef OTELPROF_SYS_RAWCALL_H
#define OTELPROF_SYS_RAWCALL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#include "sys/rawcall_x86_64.h"
#else
#error "add rawcall_<arch>.h for this architecture"
#endif

/* Every argument becomes a long; the call sites cast nothing. */
#define SYS_ARG(x) ((long)(x))
#define sys_call0(n) sys_call6(n, 0, 0, 0, 0, 0, 0)
#define sys_call1(n, a) sys_call6(n, SYS_ARG(a), 0, 0, 0, 0, 0)
#define sys_call2(n, a, b) sys_call6(n, SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define sys_call3(n, a, b, c) sys_call6(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define sys_call4(n, a, b, c, d) sys_call6(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define sys_call5(n, a, b, c, d, e)                                                                          \
    sys_call6(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), 0)

/* True if |result| is a negative errno and not an address. */
static inline int sys_failed(long result)
{
    return (unsigned long)result > -4096UL;
}

static inline int sys_getpid(void)
{
    return (int)sys_call0(SYS_getpid);
}

static inline int sys_gettid(void)
{
    return (int)sys_call0(SYS_gettid);
}

static inline int sys_close(int fd)
{
    return (int)sys_call1(SYS_close, fd);
}

#endif
