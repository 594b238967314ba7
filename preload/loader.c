/*
 * Overrides: dlclose.
 *
 * Only to count it, before and after: another library may come to the same addresses, and a sample must be
 * named by the one that was there when it was taken. (dlopen is not overridden: libc looks at its caller for
 * the search path.)
 */
#include "active.h"
#include "next.h"
#include "sample/sampler.h"

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    static int (*next)(void *);
    if (!next) next = (int (*)(void *))next_symbol("dlclose");
    if (!preload_active()) return next(handle);
    __atomic_add_fetch(&sampler.unloads, 1, __ATOMIC_ACQ_REL);
    int rc = next(handle);
    __atomic_add_fetch(&sampler.unloads, 1, __ATOMIC_ACQ_REL);
    sampler.wake_background();
    return rc;
}
