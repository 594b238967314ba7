#include "collect/window.h"

#include <errno.h>
#include <string.h>

#include "sample/threads.h"
#include "sys/heap.h"

static const struct profile_kind cpu_kind = {.name = "cpu",
                                             .value_count = 2,
                                             .values = {{"samples", "count"}, {"cpu", "nanoseconds"}},
                                             .period_type = {"cpu", "nanoseconds"}};

enum { VALUE_SAMPLES, VALUE_CPU };

const char *window_drop_name(enum window_drop cause)
{
    static const char *const names[DROP_CAUSES] = {
        [DROP_RING_FULL] = "samples_ring_full",
        [DROP_NO_SLOT] = "threads_no_slot",
        [DROP_MEMORY] = "samples_no_memory",
        [DROP_STALE] = "samples_stale_thread",
        [DROP_CODE_EVENTS] = "code_events_lost",
        [DROP_TIMERS] = "timers_refused",
        [DROP_BLOCKED] = "threads_signal_blocked",
        [DROP_TRUNCATED_DEPTH] = "stacks_truncated_depth",
        [DROP_TRUNCATED_WALK] = "stacks_truncated_unwind",
        [DROP_UNKNOWN_STACK] = "stacks_unknown_memory",
    };
    return names[cause];
}

int window_open(struct window *window, uint32_t number, int64_t period, int64_t monotonic, int64_t realtime)
{
    *window = (struct window){.number = number, .start_monotonic = monotonic, .start_realtime = realtime};
    window->profile = profile_create(&cpu_kind, period);
    return window->profile ? 0 : -ENOMEM;
}

void window_close(struct window *window)
{
    profile_destroy(window->profile);
    heap_free(window->groups);
    heap_free(window->thread_of_labels);
    memset(window, 0, sizeof *window);
}

static uint32_t string_id(struct profile *profile, const char *text)
{
    return profile_string(profile, text, strlen(text));
}

static uint32_t tier_labels(struct window *window, int tid, const char *name, enum v8_tier tier)
{
    struct profile *profile = window->profile;
    struct profile_label labels[3] = {{string_id(profile, "thread.id"), 0, tid}};
    unsigned count = 1;
    if (name[0])
        labels[count++] =
            (struct profile_label){string_id(profile, "thread.name"), string_id(profile, name), 0};
    if (tier)
        labels[count++] =
            (struct profile_label){string_id(profile, "v8.tier"), string_id(profile, v8_tier_name(tier)), 0};
    return profile_labels(profile, labels, count);
}

uint32_t window_labels(struct window *window, int tid, const char *name)
{
    return tier_labels(window, tid, name, V8_TIER_NONE);
}

static struct window_group *group_of(struct window *window, uintptr_t start_routine)
{
    for (size_t i = 0; i < window->group_count; i++)
        if (window->groups[i].start_routine == start_routine) return &window->groups[i];
    if (heap_grow(&window->groups, &window->group_cap, window->group_count + 1, sizeof *window->groups))
        return NULL;
    struct window_group *group = &window->groups[window->group_count++];
    *group = (struct window_group){.start_routine = start_routine};
    return group;
}

static void link_labels(struct window *window, uint32_t labels, const struct window_group *group,
                        const struct thread *thread)
{
    size_t old = window->labels_cap;
    if (heap_grow(&window->thread_of_labels, &window->labels_cap, labels + 1,
                  sizeof *window->thread_of_labels))
        return;
    /* A thread that was discovered before it announced itself has two slots, and one label set. */
    if (labels < old && window->thread_of_labels[labels].group && !thread->start_routine) return;
    if (window->labels_cap > old)
        memset(window->thread_of_labels + old, 0,
               (window->labels_cap - old) * sizeof *window->thread_of_labels);
    window->thread_of_labels[labels] =
        (struct window_thread){(uint32_t)(group - window->groups) + 1, thread->ordinal};
}

/* |thread| appears in this window for the first time. */
static void begin_thread(struct window *window, struct thread *thread)
{
    if (thread->state == THREAD_LIVE) threads_read_name(thread);
    thread->window = window->number;
    thread->window_sampled = 0;
    memset(thread->labels, 0, sizeof thread->labels);
}

/* The label set of |thread| at |tier| in this window, made at its first appearance. */
static uint32_t labels_of(struct window *window, struct thread *thread, enum v8_tier tier)
{
    int is_new = thread->window != window->number;
    if (is_new) begin_thread(window, thread);
    if (thread->labels[tier]) return thread->labels[tier];
    uint32_t labels = thread->labels[tier] = tier_labels(window, thread->tid, thread->name, tier);
    struct window_group *group = group_of(window, thread->start_routine);
    if (!group) return labels;
    if (is_new) group->labels = group->threads++ ? 0 : window_labels(window, thread->tid, thread->name);
    link_labels(window, labels, group, thread);
    return labels;
}

void window_add(struct window *window, struct thread *thread, uint32_t stack, enum v8_tier tier,
                int64_t weight)
{
    /* A tick that came late stands for several intervals, and so for several samples: samples x period = CPU.
     */
    int64_t values[] = {weight / window->profile->period, weight};
    uint32_t labels = labels_of(window, thread, tier);
    if (profile_add(window->profile, stack, labels, values)) {
        window->drops[DROP_MEMORY]++;
        return;
    }
    thread->window_sampled += weight;
}

void window_add_time(struct window *window, uint32_t stack, uint32_t labels, int64_t nanos)
{
    int64_t values[] = {0, nanos};
    if (profile_add(window->profile, stack, labels, values)) window->drops[DROP_MEMORY]++;
}

void window_expect(struct window *window, struct thread *thread, int64_t nanos)
{
    labels_of(window, thread, V8_TIER_NONE);
    struct window_group *group = group_of(window, thread->start_routine);
    if (group) group->expected += nanos;
}

const struct window_thread *window_thread_of(const struct window *window, uint32_t labels)
{
    return labels < window->labels_cap && window->thread_of_labels[labels].group
               ? &window->thread_of_labels[labels]
               : NULL;
}

static struct window_group *group_of_sample(struct window *window, uint32_t sample)
{
    const struct window_thread *thread =
        window_thread_of(window, window->profile->samples.items[sample].labels);
    return thread ? &window->groups[thread->group - 1] : NULL;
}

/* Scales the samples of groups with more sampled than expected; the running sum keeps each group's total
 * exact. */
static void scale_down(struct window *window)
{
    for (size_t i = 0; i < window->group_count; i++) {
        struct window_group *group = &window->groups[i];
        int64_t before = 0, after = 0;
        if (group->sampled <= group->expected) continue;
        for (uint32_t s = 0; s < window->profile->samples.count; s++) {
            if (group_of_sample(window, s) != group) continue;
            int64_t *nanos = &profile_sample_values(window->profile, s)[VALUE_CPU];
            before += *nanos;
            int64_t sum = (int64_t)((__int128)before * group->expected / group->sampled);
            *nanos = sum - after;
            after = sum;
        }
    }
}

void window_reconcile(struct window *window, struct frames *frames)
{
    for (uint32_t s = 0; s < window->profile->samples.count; s++) {
        struct window_group *group = group_of_sample(window, s);
        if (group) group->sampled += profile_sample_values(window->profile, s)[VALUE_CPU];
    }
    scale_down(window);
    for (size_t i = 0; i < window->group_count; i++) {
        struct window_group *group = &window->groups[i];
        if (group->expected <= group->sampled) continue;
        uint32_t stack = frames_synthetic_stack(frames, window->profile, "[unsampled]", group->start_routine);
        window_add_time(window, stack, group->labels, group->expected - group->sampled);
    }
}
