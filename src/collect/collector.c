#include "collect/collector.h"

#include <errno.h>
#include <string.h>

#include "collect/export.h"
#include "collect/frames.h"
#include "collect/mapped.h"
#include "collect/node_view.h"
#include "collect/window.h"
#include "node/isolate.h"
#include "node/node_version.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "sample/signal.h"
#include "sample/threads.h"
#include "sink/sink.h"
#include "sys/clock.h"
#include "sys/credentials.h"
#include "sys/heap.h"
#include "sys/log.h"
#include "sys/process.h"

enum { HELD_LIMIT = 4096 }; /* samples that wait for their code map at most */

struct record_list {
    struct sample_record **items;
    size_t count, cap;
};

enum {
    ROUND_MILLIS = 250,
    QUIET_ROUND_MILLIS = 1000,
    QUIET_ROUNDS = 8,
    SETTLING_ROUND_MILLIS = 20,
    MILLI = 1000 * 1000
};

#define SLOW_NANOS (1000LL * MILLI)     /* between looks at what changes seldom */
#define START_NANOS (70LL * MILLI)      /* of CPU: Node is about to run the program */
#define SETTLING_NANOS (2000LL * MILLI) /* after the first contact with V8 */

static struct {
    struct collector_options options;
    int64_t start_cpu;       /* ns of process CPU time that were used before we came: not in any profile */
    int64_t start_monotonic; /* ns: the first window begins here */
    int64_t start_realtime;
    struct resource resource;
    struct sinks *sinks;
    struct frames frames;
    struct window window;
    struct record_list drained;         /* of this round */
    struct record_list held;            /* waiting until their isolate is attached */
    int64_t next_slow_check;            /* ns, monotonic */
    int64_t attached_since;             /* likewise: V8 was first seen attached; 0: not yet */
    uint64_t drops_before[DROP_CAUSES]; /* running counters as of the last window */
    int64_t accounted;                  /* ns of process CPU in the windows so far, start_cpu included */
    int64_t own_accounted;              /* of it the background thread's */
    int strangers;                      /* threads that were there before us: the first round adopts them */
    int64_t next_module_check;          /* ns, monotonic */
    char directory[4096];               /* the working directory at the start */
    int own_tid;
    unsigned quiet_rounds; /* without a sample, in a row */
    int started;
} collector;

void collector_prepare(const struct collector_options *options)
{
    collector.options = *options;
}

void collector_begin(void)
{
    collector.start_cpu = clock_process_cpu();
    collector.start_monotonic = clock_monotonic();
    collector.start_realtime = clock_realtime();
}

int collector_wanted(const struct config *config)
{
    return config->cpu_enabled && config->exporters != 0;
}

int64_t collector_unseen_cpu(void)
{
    int64_t held = collector.accounted > collector.start_cpu ? collector.accounted : collector.start_cpu;
    return clock_process_cpu() - held;
}

/* The first seconds of V8: it maps and compiles, and we have just met it. */
static int is_settling(int64_t now)
{
    if (!collector.attached_since && node_process.attached_ever) collector.attached_since = now;
    return node_process.enabled &&
           (!collector.attached_since || now - collector.attached_since < SETTLING_NANOS) &&
           now - collector.start_monotonic < 2 * SETTLING_NANOS;
}

/*
 * The node binary's table takes 18 ms: not beside the program's own start, and not at all for one that is
 * over before. Node's own code keeps frame pointers, but for OpenSSL's assembler.
 */
static int wants_large_tables(void)
{
    return !sampler.script || clock_process_cpu() - collector.start_cpu >= START_NANOS;
}

static void refresh_modules(int64_t now)
{
    collector.next_module_check =
        mapped_refresh(&collector.frames, now, is_settling(now), wants_large_tables());
}

int collector_start(int own_tid)
{
    collector.own_tid = own_tid;
    collector.accounted = collector.start_cpu;
    if (own_tid) collector.strangers = threads_discover(own_tid, 0);
    refresh_modules(clock_monotonic());
    resource_detect(&collector.resource, collector.options.config, collector.options.program);
    collector.sinks = sinks_open(collector.options.config);
    if (!sinks_enabled(collector.sinks)) return -ENOENT;
    if (node_process.enabled) collector.frames.code_map = code_map_create();
    const struct config *config = collector.options.config;
    collector.frames.tells_tier = config->tier_label;
    collector.frames.paths.strip = config->strip_filenames;
    if (config->shorten_paths && sys_call2(SYS_getcwd, collector.directory, sizeof collector.directory) > 0)
        collector.frames.paths.directory = collector.directory;
    collector.frames.perfmap = perfmap_open(sys_getpid(), process_start_realtime());
    collector.started = 1;
    int64_t period = config->cpu_sampling_interval_micros * 1000;
    int rc = window_open(&collector.window, 1, period, collector.start_monotonic, collector.start_realtime);
    frames_begin_window(&collector.frames, 1, collector.window.profile);
    return rc;
}

static void keep_record(const struct sample_record *record, void *context)
{
    struct record_list *list = context;
    size_t bytes = (uint32_t)record->commit;
    struct sample_record *copy = heap_alloc(bytes);
    if (!copy || heap_grow(&list->items, &list->cap, list->count + 1, sizeof *list->items)) {
        heap_free(copy);
        collector.window.drops[DROP_MEMORY]++;
        return;
    }
    memcpy(copy, record, bytes);
    list->items[list->count++] = copy;
}

/* By sequence, so that the code map can go forward with them. Few are out of order: each ring is in order. */
static void sort_by_sequence(struct record_list *list)
{
    for (size_t gap = list->count / 2; gap; gap /= 2)
        for (size_t i = gap; i < list->count; i++) {
            struct sample_record *record = list->items[i];
            size_t at = i;
            for (; at >= gap && list->items[at - gap]->sequence > record->sequence; at -= gap)
                list->items[at] = list->items[at - gap];
            list->items[at] = record;
        }
}

/* The isolate whose code |record| may hold: known to the handler, or met by the thread since; -1 none (yet).
 */
static int isolate_for(const struct sample_record *record, const struct thread *thread)
{
    if (record->has_isolate) return (int)record->isolate;
    struct node_isolate *isolate = node_isolate_met(thread);
    return isolate ? (int)isolate->index : -1;
}

/* A sample from before V8 told its code is resolved against what it told then. */
static void raise_sequence(struct sample_record *record)
{
    int index = isolate_for(record, registry_at(record->thread_index));
    if (index < 0) return;
    const struct node_isolate *isolate = &node_process.isolates[index];
    if (__atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE) >= ISOLATE_ATTACHED &&
        record->sequence < isolate->attached_at)
        record->sequence = isolate->attached_at;
}

/* True if the names of this sample's JavaScript are still to come: the isolate is being attached to. */
static int must_wait(const struct sample_record *record, const struct thread *thread)
{
    if (thread->state == THREAD_LAST_DRAIN) return 0; /* its slot goes after this round */
    if (!collector.frames.code_map || !record->script_count) return 0;
    int isolate = isolate_for(record, thread);
    /* Not met yet; the main thread will be, and its time without JavaScript is the program's. */
    if (isolate < 0) return thread->tid == sampler.pid || frames_has_script(&collector.frames, record);
    uint32_t state = __atomic_load_n(&node_process.isolates[isolate].state, __ATOMIC_ACQUIRE);
    if (state == ISOLATE_SEEN || state == ISOLATE_REQUESTED) return 1;
    /* Attached since raise_sequence looked: what V8 told then is not applied yet. */
    return state == ISOLATE_ATTACHED && record->sequence < node_process.isolates[isolate].attached_at;
}

static void resolve(const struct sample_record *record)
{
    struct window *window = &collector.window;
    struct thread *thread = registry_at(record->thread_index);
    if (thread->generation != record->thread_generation || !window->profile) {
        window->drops[window->profile ? DROP_STALE : DROP_MEMORY]++;
        return;
    }
    if (record->cut) window->drops[DROP_TRUNCATED_DEPTH]++;
    if (record->end != UNWIND_END_COMPLETE && record->end != UNWIND_END_ZERO_PC)
        window->drops[DROP_TRUNCATED_WALK]++;
    uint32_t stack = frames_stack(&collector.frames, window->profile, record, isolate_for(record, thread));
    window_add(window, thread, stack, collector.frames.tier, (int64_t)record->weight);
}

static int may_wait(const struct sample_record *record)
{
    return collector.held.count < HELD_LIMIT && must_wait(record, registry_at(record->thread_index));
}

static void take_held(int all)
{
    size_t kept = 0;
    for (size_t i = 0; i < collector.held.count; i++) {
        struct sample_record *record = collector.held.items[i];
        raise_sequence(record);
        if (!all && must_wait(record, registry_at(record->thread_index))) {
            collector.held.items[kept++] = record;
            continue;
        }
        if (collector.frames.code_map) code_map_advance(collector.frames.code_map, record->sequence);
        resolve(record);
        heap_free(record);
    }
    collector.held.count = kept;
}

/* Takes the records whose addresses belong to the modules known now (or |all|) off |list|. */
static void resolve_list(struct record_list *list, int all, int last)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct sample_record *record = list->items[i];
        if (!all && record->unloads > collector.frames.unloads) {
            list->items[kept++] = record;
            continue;
        }
        if (!last && may_wait(record)) {
            keep_record(record, &collector.held);
        } else {
            if (collector.frames.code_map) code_map_advance(collector.frames.code_map, record->sequence);
            resolve(record);
        }
        heap_free(record);
    }
    list->count = kept;
}

/* New code since the last look: a library or, by its perf map, a runtime's. */
static void learn_unknown(const struct record_list *list)
{
    int unknown = 0;
    for (size_t i = 0; i < list->count && !unknown; i++)
        unknown = list->items[i]->unloads <= collector.frames.unloads &&
                  frames_has_unknown(&collector.frames, list->items[i]);
    if (!unknown) return;
    int64_t now = clock_monotonic();
    if (now >= collector.next_module_check) refresh_modules(now);
    perfmap_update(collector.frames.perfmap);
}

/*
 * Everything that is in the rings, and what V8 told meanwhile, in the order in which it happened: samples
 * from before a dlclose against the modules of then, the others against those of now.
 */
static void drain(int last)
{
    struct record_list *list = &collector.drained;
    /* Samples that are taken from here on, and seen in the next round, are not older. */
    uint64_t sequence = __atomic_load_n(&node_process.sequence, __ATOMIC_ACQUIRE);
    rings_drain(keep_record, list);
    collector.quiet_rounds = list->count ? 0 : collector.quiet_rounds + 1;
    for (size_t i = 0; i < list->count; i++) raise_sequence(list->items[i]);
    sort_by_sequence(list);
    learn_unknown(list);
    resolve_list(list, 0, last);
    if (list->count || collector.frames.unloads != __atomic_load_n(&sampler.unloads, __ATOMIC_ACQUIRE))
        refresh_modules(clock_monotonic());
    resolve_list(list, 1, last);
    if (collector.frames.code_map) code_map_advance(collector.frames.code_map, sequence);
    take_held(last);
}

/* |used| ns of |thread|'s clock belong to this window. */
static void settle(struct thread *thread, int64_t used)
{
    if (used <= 0) return;
    if (collector.window.profile) window_expect(&collector.window, thread, used);
    collector.accounted += used;
    thread->accounted_cpu += used;
}

/* What |thread| used since the last window, by its clock's reading |cpu|; by its samples when that could not
 * be read. */
static int64_t used_by(const struct thread *thread, int64_t cpu)
{
    if (cpu >= 0) return cpu - thread->accounted_cpu;
    return thread->window == collector.window.number ? thread->window_sampled : 0;
}

/* Slots of threads that ended: their clock's last word, then the slot is free. Their samples are drained by
 * now. */
static void settle_ended(struct thread *thread, void *context)
{
    if (thread->state != THREAD_LAST_DRAIN) return;
    settle(thread, used_by(thread, thread->final_cpu));
    registry_release(thread);
}

static void mark_ended(struct thread *thread, void *context)
{
    if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_ENDED) thread->state = THREAD_LAST_DRAIN;
}

/*
 * A thread that ended since the round began keeps its slot until its samples are drained, but its time
 * belongs to this window, which the process clock is read for. One that ended without telling has no clock
 * any more; the next round takes its slot away.
 */
static void settle_running(struct thread *thread, void *context)
{
    if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) < THREAD_LIVE) return;
    int64_t cpu = clock_read(clock_of_thread(thread->tid));
    if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_ENDED) cpu = thread->final_cpu;
    settle(thread, used_by(thread, cpu));
}

/* As mark_ended: what closes after this has samples that come with the next round. */
static void mark_closed_isolates(void)
{
    for (uint32_t i = 0; i < NODE_MAX_ISOLATES; i++) {
        uint32_t *state = &node_process.isolates[i].state;
        if (__atomic_load_n(state, __ATOMIC_ACQUIRE) == ISOLATE_CLOSED)
            __atomic_store_n(state, ISOLATE_LAST_DRAIN, __ATOMIC_RELEASE);
    }
}

/* True if |isolate| was met but never attached to, and its thread has ended. */
static int is_forsaken(const struct node_isolate *isolate, uint32_t state)
{
    if (state != ISOLATE_SEEN && state != ISOLATE_REQUESTED) return 0;
    const struct thread *thread = registry_at(isolate->thread_index);
    return thread->generation != isolate->thread_generation ||
           __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == THREAD_FREE;
}

static void settle_isolates(void)
{
    for (uint32_t i = 0; i < NODE_MAX_ISOLATES; i++) {
        struct node_isolate *isolate = &node_process.isolates[i];
        uint32_t state = __atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE);
        if (state != ISOLATE_LAST_DRAIN && !is_forsaken(isolate, state)) continue;
        if (collector.frames.code_map) code_map_drop_isolate(collector.frames.code_map, i);
        __atomic_store_n(&isolate->state, ISOLATE_FREE, __ATOMIC_RELEASE);
    }
}

/* Our own thread's share, and what of |process_cpu| no thread we know of used: the ends of threads, threads
 * without a slot. */
static void settle_rest(int64_t process_cpu)
{
    struct window *window = &collector.window;
    struct profile *profile = window->profile;
    if (collector.own_tid) {
        int64_t own = clock_read(CLOCK_THREAD_CPUTIME_ID);
        uint32_t stack = frames_synthetic_stack(&collector.frames, profile, "[otelprof]", 0);
        window_add_time(window, stack, window_labels(window, collector.own_tid, "otelprof"),
                        own - collector.own_accounted);
        collector.accounted += own - collector.own_accounted;
        collector.own_accounted = own;
    }
    int64_t rest = process_cpu - collector.accounted;
    if (rest <= 0) return; /* threads ran on after that reading */
    window_add_time(window, frames_synthetic_stack(&collector.frames, profile, "[unsampled]", 0), 0, rest);
    collector.accounted += rest;
}

static void count_drops(void)
{
    uint64_t now[DROP_CAUSES] = {
        [DROP_RING_FULL] = rings.dropped_full,      [DROP_NO_SLOT] = registry_refused(),
        [DROP_CODE_EVENTS] = code_events_dropped(), [DROP_TIMERS] = sampler.timer_failures,
        [DROP_BLOCKED] = sampler.blocked,           [DROP_UNKNOWN_STACK] = sampler.unknown_stacks};
    for (int cause = 0; cause < DROP_CAUSES; cause++) {
        if (now[cause] <= collector.drops_before[cause]) continue;
        collector.window.drops[cause] += now[cause] - collector.drops_before[cause];
        collector.drops_before[cause] = now[cause];
    }
}

/* Node's static constructors may not have run when the resource was made. */
static void tell_runtime(void)
{
    char version[32];
    if (!resource_find(&collector.resource, "process.runtime.version") &&
        node_version(version, sizeof version))
        resource_set_text(&collector.resource, "process.runtime.version", version);
}

/* Closes the window that is open and hands it to the sinks. */
static void finish_window(void)
{
    struct window *window = &collector.window;
    int64_t process_cpu = clock_process_cpu(); /* before the threads': what they use meanwhile counts once */
    registry_each(settle_running, NULL);
    threads_settle_strangers();
    count_drops();
    if (window->profile) {
        settle_rest(process_cpu);
        window_reconcile(window, &collector.frames);
        frames_name_native(&collector.frames, window->profile);
        node_view_finish(window, &collector.frames);
        tell_runtime();
        export_window(window, collector.sinks, &collector.resource);
    }
}

static void next_window(int64_t now)
{
    finish_window();
    uint32_t number = collector.window.number + 1;
    window_close(&collector.window);
    int64_t period = collector.options.config->cpu_sampling_interval_micros * 1000;
    window_open(&collector.window, number, period, now, clock_realtime());
    frames_begin_window(&collector.frames, number, collector.window.profile);
}

/* The stack of a thread that was not made by pthread_create: the mapping it was seen in. */
static void find_stack(struct thread *thread, void *context)
{
    uintptr_t sp = thread->unknown_sp, start, limit;
    if (!sp || thread->state != THREAD_LIVE || thread->stack_high) return;
    thread->unknown_sp = 0;
    if (modules_range_of(sp, &start, &limit)) return;
    thread->stack_low = start;
    __atomic_store_n(&thread->stack_high, limit, __ATOMIC_RELEASE);
}

static void slow_checks(void)
{
    if (sampler.signo && !signal_is_ours(sampler.signo)) sampler_change_signal();
    threads_check_masks();
    if (credentials_follow_main() > 0)
        log_info("the process changed its user: the profiler's thread follows");
}

void collector_round(void)
{
    int64_t now = clock_monotonic();
    int slow = now >= collector.next_slow_check;
    if (slow) collector.next_slow_check = now + SLOW_NANOS;
    threads_discover(collector.own_tid, slow);
    collector.strangers = 0;
    if (slow) slow_checks();
    registry_each(find_stack, NULL);
    registry_each(mark_ended, NULL);
    mark_closed_isolates();
    drain(0);
    registry_each(settle_ended, NULL);
    settle_isolates();
    if (collector.frames.code_map) code_map_prune(collector.frames.code_map, 0);
    if ((slow && now >= collector.next_module_check) ||
        (collector.frames.large_tables_wait && wants_large_tables()))
        refresh_modules(now);
    if (now - collector.window.start_monotonic < collector.options.config->collection_interval_ms * 1000000)
        return;
    take_held(1);
    next_window(now);
    if (collector.frames.code_map) code_map_prune(collector.frames.code_map, 1);
}

int64_t collector_pause(void)
{
    if (collector.strangers || is_settling(clock_monotonic())) return SETTLING_ROUND_MILLIS * (int64_t)MILLI;
    return (collector.quiet_rounds < QUIET_ROUNDS ? ROUND_MILLIS : QUIET_ROUND_MILLIS) * (int64_t)MILLI;
}

void collector_finish(void)
{
    if (!collector.started) return;
    registry_each(mark_ended, NULL);
    drain(1);
    registry_each(settle_ended, NULL);
    finish_window();
}

void collector_after_fork(int64_t fork_monotonic, int64_t fork_realtime)
{
    struct collector_options options = collector.options;
    memset(&collector, 0, sizeof collector);
    collector.options = options;
    collector.start_cpu = 0; /* the child's clock began at the fork */
    collector.start_monotonic = fork_monotonic;
    collector.start_realtime = fork_realtime;
}
