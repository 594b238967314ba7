/* Starting the background thread; async-signal-safe, this file holds nothing else. */
#include "collect/background.h"

#include <linux/futex.h>

#include "sample/sampler.h"
#include "sys/rawcall.h"
#include "sys/spawn.h"

struct background background;

void background_start(void)
{
    uint32_t none = BACKGROUND_NONE;
    if (!__atomic_compare_exchange_n(&background.state, &none, BACKGROUND_STARTING, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&sampler.waits_for_background, 0, __ATOMIC_RELEASE);
    if (spawn_thread(background_run, 0, background.stack, BACKGROUND_STACK) < 0)
        __atomic_store_n(&background.state, BACKGROUND_FAILED, __ATOMIC_RELEASE);
}

void background_wake(void)
{
    if (__atomic_exchange_n(&background.wake, 1, __ATOMIC_ACQ_REL)) return;
    sys_call3(SYS_futex, &background.wake, FUTEX_WAKE_PRIVATE, 1);
}
