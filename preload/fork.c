/*
 * Overrides nothing: registers a child handler for fork. vfork, posix_spawn and raw clone run none, and need
 * none: their children share our memory or exec at once, and timers are not inherited.
 */
#include <stddef.h>

#include "active.h"
#include "collect/lifecycle.h"
#include "next.h"
#include "sample/sampler.h"

/* What pthread_atfork is behind its name in glibc; musl has only pthread_atfork. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void in_child(void)
{
    if (preload_active()) lifecycle_after_fork();
}

void preload_prepare_fork(void)
{
    int (*atfork)(void (*)(void), void (*)(void), void (*)(void));
    if (__register_atfork) {
        __register_atfork(NULL, NULL, in_child, &__dso_handle);
        return;
    }
    atfork = (int (*)(void (*)(void), void (*)(void), void (*)(void)))global_symbol("pthread_atfork");
    if (atfork) atfork(NULL, NULL, in_child);
}
