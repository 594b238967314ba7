#include "collect/node_view.h"

#include <string.h>

#include "node/isolate.h"
#include "sample/sampler.h"
#include "symbol/names.h"
#include "sys/fmt.h"

enum { NAME_BYTES = 64 };

static int begins_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

int node_view_is_collection(const char *name)
{
    static const char *const entries[] = {
        /* On the thread that allocated. */
        "Heap::CollectGarbage(", "IncrementalMarking::AdvanceOnAllocation(", "Sweeper::ParallelSweepSpace(",
        "IncrementalMarkingJob::Task::RunInternal(", "IncrementalMarking::AdvanceFromTask(",
        "IncrementalMarking::Start(",
        /* Their helpers on V8's worker threads. */
        "ConcurrentMarking::JobTask", "ScavengerCollector::JobTask::Run(", "ScavengerJobTask::Run(",
        "YoungGenerationMarkingJob::Run(", "PageEvacuationJob::Run(", "PointersUpdatingJob::Run(",
        "Sweeper::SweeperJob::Run", "Sweeper::MajorSweeperJob::Run", "Sweeper::MinorSweeperJob::Run",
        "Sweeper::ConcurrentSweeper::", "ArrayBufferSweeper::SweepingState::SweepingJob::Run(",
        "ArrayBufferSweeper::DoSweep("};
    static const char space[] = "v8::internal::";
    if (!begins_with(name, space)) return 0;
    name += sizeof space - 1;
    if (begins_with(name, "(anonymous namespace)::")) name += sizeof "(anonymous namespace)::" - 1;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (begins_with(name, entries[i])) return 1;
    return 0;
}

static uint32_t string_id(struct profile *profile, const char *text)
{
    return profile_string(profile, text, strlen(text));
}

static int has_function(const struct profile *profile, uint32_t location, uint32_t name)
{
    const struct profile_location *l = &profile->locations.items[location];
    for (uint32_t i = 0; i < l->line_count; i++)
        if (profile->functions.items[profile->locations.lines[l->line_at + i].function].name == name)
            return 1;
    return 0;
}

/* The index in |stack| of the frame, from the leaf, of the function called |name|; |stack->count| if none. */
static uint32_t find_frame(const struct profile *profile, const struct profile_stack *stack, uint32_t name)
{
    uint32_t i = 0;
    const uint32_t *locations = profile->stacks.locations + stack->at;
    while (i < stack->count && !has_function(profile, locations[i], name)) i++;
    return i;
}

/* True if the loop itself waits: between uv__io_poll and the leaf there is nothing but libc. */
static int is_waiting(const struct profile *profile, const struct profile_stack *stack, uint32_t poll)
{
    const uint32_t *locations = profile->stacks.locations + stack->at;
    uint32_t at = find_frame(profile, stack, poll);
    if (at == stack->count) return 0;
    uint32_t mapping = profile->locations.items[locations[at]].mapping;
    for (uint32_t i = 0; i < at; i++)
        if (profile->locations.items[locations[i]].mapping == mapping) return 0;
    return 1;
}

/* frames_stack has put (program) at the root of every stack without JavaScript. */
static void sort_programs(struct profile *profile, struct frames *frames)
{
    uint32_t program = frames_named_location(profile, NODE_VIEW_PROGRAM);
    uint32_t idle = frames_named_location(profile, NODE_VIEW_IDLE);
    uint32_t collector = string_id(profile, NODE_VIEW_COLLECTOR), poll = string_id(profile, "uv__io_poll");
    if (!program || !idle) return;
    for (uint32_t s = 1; s < profile->stacks.count; s++) {
        struct profile_stack *stack = &profile->stacks.items[s];
        if (!stack->count || profile->stacks.locations[stack->at + stack->count - 1] != program) continue;
        if (find_frame(profile, stack, collector) < stack->count)
            stack->count--;
        else if (is_waiting(profile, stack, poll))
            profile->stacks.locations[stack->at + stack->count - 1] = idle;
    }
}

/* What the thread that began in the function |routine| is for; 0: none of Node's own. */
static size_t role(const char *routine, const char *name, uint32_t ordinal, char *out)
{
    if (strstr(routine, "PlatformWorkerThread(")) return fmt_text(out, NAME_BYTES, "V8Worker");
    if (!strcmp(routine, "worker")) return fmt_text(out, NAME_BYTES, "libuv-worker");
    if (strstr(routine, "DelayedTaskScheduler::Start"))
        return fmt_text(out, NAME_BYTES, "DelayedTaskScheduler");
    if (strstr(routine, "::StartIoThreadMain(")) return fmt_text(out, NAME_BYTES, "SignalInspector");
    if (!strstr(routine, "worker::Worker::StartThread(")) return 0;
    /* Node 24 and later give the thread the name that the program gave the Worker. */
    int is_given = strcmp(name, "node") && !strstr(name, "WorkerThread");
    return fmt_text(out, NAME_BYTES, is_given ? "worker %u (%s)" : "worker %u", ordinal, name);
}

static const char *routine_name(struct frames *frames, uintptr_t start_routine)
{
    struct name_query query = {.address = start_routine};
    for (size_t i = 0; i < frames->modules.live_count; i++) {
        struct module *module = frames->modules.live[i];
        if (start_routine < module->start || start_routine >= module->limit) continue;
        return !names_resolve(module, &query, 1) && query.name ? query.name : "";
    }
    return "";
}

static struct profile_label *label_of(struct profile *profile, uint32_t set, uint32_t key)
{
    const struct profile_label_set *labels = &profile->label_sets.items[set];
    for (uint32_t i = 0; i < labels->count; i++)
        if (profile->label_sets.labels[labels->at + i].key == key)
            return &profile->label_sets.labels[labels->at + i];
    return NULL;
}

static void name_threads(struct window *window, struct frames *frames)
{
    struct profile *profile = window->profile;
    uint32_t name_key = string_id(profile, "thread.name"), id_key = string_id(profile, "thread.id");
    for (uint32_t set = 1; set < profile->label_sets.count; set++) {
        const struct window_thread *thread = window_thread_of(window, set);
        struct profile_label *name = label_of(profile, set, name_key), *id = label_of(profile, set, id_key);
        char text[NAME_BYTES];
        size_t len = 0;
        if (!thread || !name || !id) continue;
        if (id->number == sampler.pid)
            len = fmt_text(text, sizeof text, "main");
        else
            len = role(routine_name(frames, window->groups[thread->group - 1].start_routine),
                       profile_string_text(profile, name->text), thread->ordinal, text);
        if (len) name->text = profile_string(profile, text, len);
    }
}

void node_view_finish(struct window *window, struct frames *frames)
{
    if (!node_process.enabled) return;
    sort_programs(window->profile, frames);
    name_threads(window, frames);
}
