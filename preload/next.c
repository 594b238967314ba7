#include "next.h"

#include <dlfcn.h>

/* In libdl before glibc 2.34: absent in programs that do not link it. */
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

void *next_symbol(const char *name)
{
    return dlsym ? dlsym(RTLD_NEXT, name) : (void *)0;
}

void *global_symbol(const char *name)
{
    return dlsym ? dlsym(RTLD_DEFAULT, name) : (void *)0;
}
