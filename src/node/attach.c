#include "node/attach.h"

#include <errno.h>
#include <string.h>

#include "node/baseline.h"
#include "config/program.h"
#include "node/code_events.h"
#include "node/code_stack.h"
#include "node/inlining.h"
#include "node/isolate.h"
#include "node/script_lines.h"
#include "sys/file.h"
#include "sys/log.h"
#include "sys/rawcall.h"

/* Node runs this on the isolate's thread, before the isolate goes; not at process.exit() on the main thread.
 */
static void on_environment_cleanup(void *argument)
{
    struct node_isolate *isolate = argument;
    /* Frames whose code V8 never told are named out of its heap (function_code.c), which is gone in a moment.
     * For the main thread, whose process ends and waits for its last window anyway; a worker's end is not
     * held up. */
    if (sys_gettid() == sys_getpid() && node_process.drain) node_process.drain();
    __atomic_store_n(&isolate->state, ISOLATE_CLOSED, __ATOMIC_RELEASE);
    if (!__atomic_load_n(&node_process.closing, __ATOMIC_ACQUIRE))
        node_process.v8.set_jit_code_event_handler(isolate->isolate, 0, NULL);
}

/*
 * The interrupt: V8 calls it at a stack check of running JavaScript, with a HandleScope open. Without a Node
 * environment (bootstrap of Node 16 workers, Debian's node) AddEnvironmentCleanupHook would abort: try at a
 * later tick.
 */
static void on_interrupt(v8_isolate *v8, void *argument)
{
    struct node_isolate *isolate = argument;
    if (__atomic_load_n(&node_process.closing, __ATOMIC_ACQUIRE)) return;
    if (__atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE) != ISOLATE_REQUESTED || isolate->isolate != v8)
        return; /* asked twice, served before */
    void *context = node_process.v8.get_current_context(v8);
    if (!context || !node_process.v8.current_environment(context)) {
        __atomic_store_n(&isolate->state, ISOLATE_SEEN, __ATOMIC_RELEASE);
        return;
    }
    if (node_process.v8.use_detailed_positions) node_process.v8.use_detailed_positions(v8);
    node_process.v8.set_jit_code_event_handler(v8, V8_ENUMERATE_EXISTING, code_events_receive);
    node_process.v8.add_cleanup_hook(v8, on_environment_cleanup, isolate);
    node_process.v8.get_code_range(v8, (void **)&isolate->code_range, &isolate->code_range_len);
    if (sys_gettid() != sys_getpid()) code_stack_tell(isolate, (uintptr_t)__builtin_frame_address(0));
    isolate->attached_at = __atomic_load_n(&node_process.sequence, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&node_process.attached_ever, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&isolate->state, ISOLATE_ATTACHED, __ATOMIC_RELEASE);
}

/* True if |argument| is the option |flag|, or one that |flag| is the beginning of. Node takes '_' for '-'. */
static int is_option(const char *argument, const char *flag)
{
    for (; *flag; argument++, flag++)
        if (*argument != *flag && !(*flag == '-' && *argument == '_')) return 0;
    return 1;
}

/* True if the options before the script in the command line |text| (NUL-separated, |len| bytes) ask for a
 * snapshot or a SEA blob. */
static int builds_snapshot(const char *text, size_t len)
{
    static const char *const flags[] = {"--build-snapshot", "--build-sea", "--experimental-sea-config",
                                        "--node-snapshot-main"};
    const char *script = program_script(text, len), *end = script ? script : text + len;
    for (const char *argument = text; argument < end; argument += strlen(argument) + 1)
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (is_option(argument, flags[i])) return 1;
    return 0;
}

int node_attach_prepare(void *(*lookup)(const char *), int is_node)
{
    const char *missing = NULL;
    int rc = v8_abi_find(&node_process.v8, lookup, &missing);
    if (rc) {
        if (is_node)
            log_warn("this Node does not export %s: JavaScript is named only if the program runs with "
                     "--perf-basic-prof",
                     missing);
        return rc;
    }
    char command[4096];
    int64_t len = file_read_small("/proc/self/cmdline", command, sizeof command);
    if (len > 0 && builds_snapshot(command, (size_t)len)) {
        log_info("this process builds a snapshot: JavaScript is not named");
        return -ECANCELED;
    }
    node_process.attach = on_interrupt;
    script_lines_prepare(lookup);
    if (inlining_prepare(node_process.v8.get_version(), lookup))
        log_info("V8 %s is not known well enough to show inlined functions", node_process.v8.get_version());
    if (baseline_prepare(node_process.v8.get_version(), lookup))
        log_info("V8 %s is not known well enough to show lines of baseline code",
                 node_process.v8.get_version());
    node_process.enabled = 1;
    node_process.contact_timer = -1;
    log_info("V8 %s found", node_process.v8.get_version());
    return 0;
}

void node_attach_close(void)
{
    __atomic_store_n(&node_process.closing, 1, __ATOMIC_RELEASE);
}
