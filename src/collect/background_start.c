/* Starting the background thread; async-signal-safe, this file holds nothing else. */
#include "collect/background.h"

#include "sample/sampler.h"
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
