/*
 * Overrides: exit.
 *
 * V8 must not be asked for anything any more while the program's own exit handlers take it apart; our
 * destructor runs only after them.
 */
#include <stdlib.h>

#include "active.h"
#include "next.h"
#include "node/attach.h"
#include "sample/sampler.h"

__attribute__((visibility("default"))) void exit(int status)
{
    void (*next)(int) = (void (*)(int))next_symbol("exit");
    if (preload_active() && sys_getpid() == sampler.pid) node_attach_close(); /* not in a vfork child */
    next(status);
    __builtin_unreachable();
}
