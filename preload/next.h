/* The next definition of a function that we interpose, and libc functions that may be missing (musl, old
 * glibc). */
#ifndef OTELPROF_PRELOAD_NEXT_H
#define OTELPROF_PRELOAD_NEXT_H

/* dlsym(RTLD_NEXT, |name|), or what lookup.h finds where that has nothing. Not async-signal-safe. */
void *next_symbol(const char *name);

/* dlsym(RTLD_DEFAULT, |name|): whoever in the process has it. */
void *global_symbol(const char *name);

#endif
