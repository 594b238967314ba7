/* Overrides nothing: the constructor and the destructor. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "active.h"
#include "collect/background.h"
#include "collect/collector.h"
#include "collect/lifecycle.h"
#include "config/activation.h"
#include "config/environment.h"
#include "config/options.h"
#include "next.h"
#include "node/attach.h"
#include "node/isolate.h"
#include "node/node_version.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "sample/threads.h"
#include "sys/clock.h"
#include "sys/log.h"

struct preload preload;

/* How a second copy of this library in the process finds the first. Version of the library as a number. */
__attribute__((visibility("default"))) const int otelprof_active = 1;

/* The same object under a name that no other copy can take over. */
extern const int own_active __attribute__((alias("otelprof_active"), visibility("hidden")));

extern int __asan_init __attribute__((weak));
extern int __tsan_init __attribute__((weak));
extern int __msan_init __attribute__((weak));

static struct {
    struct config config;
    struct activation_input input;
    struct settings_file file;
} state;

/* The kernel puts the program's name at the very top of the main stack (linux/fs/exec.c, binfmt_elf.c). */
static uintptr_t main_stack_high(void)
{
    uintptr_t name = getauxval(AT_EXECFN);
    return name & ~(uintptr_t)15;
}

static int decide(void)
{
    state.input = (struct activation_input){.secure = getauxval(AT_SECURE) != 0,
                                            .execfn = (const char *)getauxval(AT_EXECFN),
                                            .sanitizer = &__asan_init || &__tsan_init || &__msan_init,
                                            .valgrind = global_symbol("_vgnU_freeres") != NULL,
                                            .no_threads = !global_symbol("pthread_key_create"),
                                            .second_copy = global_symbol("otelprof_active") != &own_active};
    char **environment = config_environment();
    const char *refusal = activation_decide(&state.input, environment, &state.file);
    if (refusal) {
        activation_report(&state.input, refusal);
        return 0;
    }
    config_load(&state.config, environment, &state.file);
    log_configure(state.config.log_level, state.config.log_file);
    settings_file_report(&state.file);
    config_report_warnings(&state.config);
    return collector_wanted(&state.config);
}

static int prepare(int is_node)
{
    struct collector_options collector = {.config = &state.config, .program = &state.input.program};
    collector_prepare(&collector);
    collector_begin();
    if (rings_init() || registry_init() || background_prepare() || lifecycle_prepare()) return -1;
    node_version_prepare(global_symbol);
    node_attach_prepare(global_symbol, is_node);
    sampler.script = node_process.enabled;
    node_process.drain = background_drain;
    sampler.start_background = background_start;
    sampler.wake_background = background_wake;
    struct sampler_options options = {.interval_nanos = state.config.cpu_sampling_interval_micros * 1000,
                                      .max_depth = (unsigned)state.config.max_stack_depth,
                                      .is_node = is_node,
                                      .signal = state.config.signal,
                                      .alternate_stack = global_symbol("crosscall2") != NULL};
    return sampler_install(&options);
}

/*
 * Node lives long and starts with work that belongs in the first profile: its background thread starts at
 * once. In other programs the first ticks start it, or their second thread, so that a short helper, or one
 * that must be single-threaded (unshare), is left alone.
 */
static void start(int is_node)
{
    preload_prepare_threads();
    preload_prepare_fork();
    sampler.waits_for_background = !is_node;
    background_delay(state.config.start_delay_ms);
    preload.exit_timeout_ms = (int)state.config.exit_timeout_ms;
    __atomic_store_n(&preload.active, 1, __ATOMIC_RELEASE);
    /* musl runs constructors in the function that then calls main. */
    uintptr_t root = (uintptr_t)__builtin_frame_address(0);
    struct thread *main_thread = threads_adopt_main(getauxval(AT_ENTRY), main_stack_high(), root);
    if (main_thread && node_process.enabled) sampler_arm_contact(main_thread);
    if (is_node || !main_thread || main_thread->timer < 0) background_start_unmasked();
}

/* No arguments: musl passes garbage. */
__attribute__((constructor)) static void on_load(void)
{
    if (!decide()) return;
    int is_node = state.input.program.is_node || global_symbol("_ZN4node5StartEiPPc") != NULL;
    int rc = prepare(is_node);
    if (rc)
        log_error("profiling cannot start (errno %d): the program runs without it", -rc);
    else
        start(is_node);
}

/* Not after _exit, abort, or a signal's default action: what an interval had is lost then. */
__attribute__((destructor)) static void on_exit_process(void)
{
    if (!preload_active() || sys_getpid() != sampler.pid) return;
    node_attach_close();
    background_finish(preload.exit_timeout_ms);
}
