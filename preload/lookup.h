/* Finding a function without dlsym, which programs of a glibc before 2.34 may not have. */
#ifndef OTELPROF_PRELOAD_LOOKUP_H
#define OTELPROF_PRELOAD_LOOKUP_H

/*
 * The definition of the function |name| in the first object that was loaded after this library and has one in
 * its default version, dlopened objects included; NULL if none has. Not async-signal-safe (dl_iterate_phdr
 * takes the loader's lock). glibc's loader only: it relocates the addresses in an object's dynamic section.
 */
void *lookup_next(const char *name);

#endif
