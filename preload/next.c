#include "next.h"

#include <dlfcn.h>

#include "lookup.h"

/* In libdl before glibc 2.34: absent in programs that do not link it. */
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

void *next_symbol(const char *name)
{
    void *found = dlsym ? dlsym(RTLD_NEXT, name) : (void *)0;
    /* Or in a libpthread that came with a library that was opened later: not in what RTLD_NEXT looks at. */
    return found ? found : lookup_next(name);
}

void *global_symbol(const char *name)
{
    return dlsym ? dlsym(RTLD_DEFAULT, name) : (void *)0;
}
