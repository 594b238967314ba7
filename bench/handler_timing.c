/*
 * Times every run of the signal handler in a live process: the library's own objects, with sampler_handle
 * wrapped by the linker (--wrap). Prints to stderr at exit. The kernel's part of a signal (entry, frame,
 * sigreturn) is not in it.
 */
#include <signal.h>
#include <stdint.h>

#include "sample/sampler.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/sort.h"

enum { RUNS = 65536 };

void __real_sampler_handle(int signo, siginfo_t *info, void *context);

static struct {
    uint64_t ticks[RUNS]; /* of the time stamp counter */
    uint32_t count;
    uint64_t first_tick;
    int64_t first_nanos;
} timing;

void __wrap_sampler_handle(int signo, siginfo_t *info, void *context)
{
    uint64_t before = __builtin_ia32_rdtsc();
    __real_sampler_handle(signo, info, context);
    uint64_t after = __builtin_ia32_rdtsc();
    uint32_t i = __atomic_fetch_add(&timing.count, 1, __ATOMIC_RELAXED);
    if (i < RUNS) timing.ticks[i] = after - before;
}

__attribute__((constructor)) static void calibrate_begin(void)
{
    timing.first_tick = __builtin_ia32_rdtsc();
    timing.first_nanos = clock_monotonic();
}

__attribute__((destructor)) static void report(void)
{
    uint64_t n = timing.count < RUNS ? timing.count : RUNS;
    uint64_t ticks = __builtin_ia32_rdtsc() - timing.first_tick;
    uint64_t micros = (uint64_t)(clock_monotonic() - timing.first_nanos) / 1000;
    if (!n || !micros) return;
    sort_u64(timing.ticks, n);
    uint64_t per_micro = ticks / micros;
    char line[256];
    size_t len =
        fmt_text(line, sizeof line, "handler: runs %lu median %lu ns p90 %lu ns p99 %lu ns max %lu ns\n",
                 (unsigned long)n, (unsigned long)(timing.ticks[n / 2] * 1000 / per_micro),
                 (unsigned long)(timing.ticks[n * 9 / 10] * 1000 / per_micro),
                 (unsigned long)(timing.ticks[n * 99 / 100] * 1000 / per_micro),
                 (unsigned long)(timing.ticks[n - 1] * 1000 / per_micro));
    file_write_all(2, line, len);
}
