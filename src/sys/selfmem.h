/*
 * Reads of our own memory that fail instead of faulting: a library may be unmapped while its tables are read,
 * and a stack pointer may point anywhere.
 */
#ifndef OTELPROF_SYS_SELFMEM_H
#define OTELPROF_SYS_SELFMEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies |size| bytes at |address| of this process to |buffer|: 0, or -EFAULT when any of it is not readable.
 * By process_vm_readv, or through /proc/thread-self/mem where a seccomp filter refuses that. Any
 * thread; not in handlers.
 */
int selfmem_read(uintptr_t address, void *buffer, size_t size);

#endif
