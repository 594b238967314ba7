/*
 * The profiler with v8::CpuProfiler beside it, which is what its JavaScript stacks are measured
 * against: built of the library's own parts, with four of their functions wrapped by the linker. Each tick of
 * ours on the main thread also calls V8's own signal handler, on the same interrupted registers; V8's own
 * ticks are swallowed.
 *
 * To the file CPU_PROFILER_ORACLE_OUT go lines of three kinds, fields between \x1f, frames (leaf first)
 * between \x1e:
 *   ours NUMBER BEGINS OWNER {name, file, first line of the function, executing line, 1 if inlined in the
 *       next}...  BEGINS: 1 if the interrupted instruction is the first of an entry of V8's table of source
 *       positions, OWNER: what V8 calls the function in the frame that the frame pointer points to, if any
 *   v8 MODE NUMBER NODE STATE {name, url, line, source type, 0}...  MODE 0: the line is where the
 *       function begins, 1: where it was called
 *   hits NODE {line, samples}...  the executing lines of the samples with this leaf (MODE 0)
 *   ticks TAKEN SAMPLES-OF-V8-WITHOUT-A-TICK
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/frames.h"
#include "next.h"
#include "node/isolate.h"
#include "node/v8_abi.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/rawcall.h"
#include "sys/sigaction.h"
#include "unwind/walk.h"

enum {
    MAX_TICKS = 1 << 17,
    MAX_LINES = 1000,
    TEXT_BYTES = 1 << 20,
    MODES = 2,
    V8_INTERVAL_MICROS = 500,
    NO_LIMIT = -1
};

/* CpuProfilingNamingMode, CpuProfilingLoggingMode (v8-profiler.h). */
enum { DEBUG_NAMING = 1, EAGER_LOGGING = 1 };

struct text {
    size_t used;
    char bytes[TEXT_BYTES];
};

static struct {
    void *(*create)(v8_isolate *, int naming, int logging);
    void (*set_interval)(void *profiler, int micros);
    void (*start)(void *profiler, void *title, int mode, char record_samples, unsigned max_samples);
    uint64_t (*start_id)(void *profiler, void *title, int mode, char record_samples, unsigned max_samples);
    void *(*stop)(void *profiler, void *title);
    void *(*stop_id)(void *profiler, unsigned id);
    void *(*new_string)(v8_isolate *, const char *, int type, int length);
    void (*open_scope)(void *scope, v8_isolate *);
    void (*close_scope)(void *scope);
    int (*count)(const void *profile);
    const void *(*sample)(const void *profile, int i);
    int64_t (*timestamp)(const void *profile, int i);
    int (*state)(const void *profile, int i); /* NULL in Node 16 */
    const char *(*name)(const void *node);
    const char *(*url)(const void *node);
    int (*line)(const void *node);
    int (*source_type)(const void *node);
    unsigned (*hit_lines)(const void *node);
    char (*line_ticks)(const void *node, void *ticks, unsigned length);
    const void *(*parent)(const void *node);
} v8;

static struct {
    const char *path;
    void (*add_cleanup_hook)(v8_isolate *, void (*)(void *), void *);
    v8_isolate *isolate;
    void *profiler;
    unsigned id[MODES];
    int running;
    struct sigaction_raw handler; /* V8's, of SIGPROF */
    uint32_t ticks;
    uint32_t stamp, stamped;                  /* of the tick that is being handled */
    int64_t begin[MAX_TICKS], end[MAX_TICKS]; /* us, monotonic, of V8's handler */
    struct text ours, theirs;
} oracle;

static const char *const titles[MODES] = {"functions", "lines"};

static void put_text(struct text *text, const char *bytes)
{
    for (; *bytes && text->used < TEXT_BYTES - 64; bytes++)
        text->bytes[text->used++] = (unsigned char)*bytes < ' ' ? '?' : *bytes;
}

static void put_frame(struct text *text, const char *name, const char *file, long first, long second,
                      int inlined)
{
    if (text->used >= TEXT_BYTES - 256) return;
    text->bytes[text->used++] = '\x1e';
    put_text(text, name);
    text->bytes[text->used++] = '\x1f';
    put_text(text, file);
    text->used += fmt_text(text->bytes + text->used, 64, "\x1f%ld\x1f%ld\x1f%d", first, second, inlined);
}

/* One write: the file is opened for appending, and two threads write to it, each with descriptors of its own.
 */
static void write_line(struct text *text)
{
    text->bytes[text->used++] = '\n';
    int fd = file_open(oracle.path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        sys_call3(SYS_write, fd, (long)text->bytes, (long)text->used);
        sys_close(fd);
    }
    text->used = 0;
}

static int64_t micros(void)
{
    return clock_monotonic() / 1000;
}

void __real_sampler_handle(int signo, siginfo_t *info, void *context);

void __wrap_sampler_handle(int signo, siginfo_t *info, void *context)
{
    uint32_t number = oracle.ticks + 1;
    int wanted = oracle.running && sys_gettid() == sampler.pid && number < MAX_TICKS;
    oracle.stamp = wanted ? number : 0;
    oracle.stamped = 0;
    __real_sampler_handle(signo, info, context);
    oracle.stamp = 0;
    if (!wanted || !oracle.stamped) return;
    oracle.ticks = number;
    oracle.begin[number] = micros();
    ((void (*)(int, siginfo_t *, void *))oracle.handler.handler)(SIGPROF, info, context);
    oracle.end[number] = micros();
}

void __real_ring_commit(struct sample_record *record, uint32_t words);

/* The tick's number travels as the weight of its record: nobody reads the times of this build's profiles. */
void __wrap_ring_commit(struct sample_record *record, uint32_t words)
{
    record->weight = 0;
    if (oracle.stamp && sys_gettid() == sampler.pid) {
        record->weight = oracle.stamp;
        oracle.stamped = 1;
    }
    __real_ring_commit(record, words);
}

static void put_location(const struct profile *profile, const struct profile_location *location)
{
    if (!location->line_count) put_frame(&oracle.ours, "[native]", "", 0, 0, 0);
    for (uint32_t i = 0; i < location->line_count; i++) {
        const struct profile_line *line = &profile->locations.lines[location->line_at + i];
        const struct profile_function *function = &profile->functions.items[line->function];
        put_frame(&oracle.ours, profile_string_text(profile, function->name),
                  profile_string_text(profile, function->filename), function->start_line, line->line,
                  i + 1 < location->line_count);
    }
}

static const struct code *owner_of(struct frames *frames, const struct sample_record *record,
                                   uint32_t isolate)
{
    uintptr_t start;
    uint64_t position = record_position(record, 0), function = record_function(record, 0);
    const struct code *code = code_map_of_position(frames->code_map, isolate, position, &start);
    if (code || !function) return code;
    return code_map_of_function(frames->code_map, isolate, function, &start);
}

static int begins_place(struct frames *frames, const struct sample_record *record, uint32_t isolate)
{
    uintptr_t start, pc = record->words[0] & ~UNWIND_PC_EXACT;
    const struct code *code = code_map_find(frames->code_map, isolate, pc, &start);
    const struct code_place *place = code ? code_place_at(code, pc - start) : NULL;
    return place && place->offset == pc - start;
}

uint32_t __real_frames_stack(struct frames *frames, struct profile *profile,
                             const struct sample_record *record, int isolate);

uint32_t __wrap_frames_stack(struct frames *frames, struct profile *profile,
                             const struct sample_record *record, int isolate)
{
    uint32_t id = __real_frames_stack(frames, profile, record, isolate);
    if (!id || !record->weight) return id;
    const struct profile_stack *stack = &profile->stacks.items[id];
    struct text *text = &oracle.ours;
    const struct code *owner = isolate < 0 ? NULL : owner_of(frames, record, (uint32_t)isolate);
    text->used = fmt_text(text->bytes, TEXT_BYTES / 2, "ours\x1f%u\x1f%d\x1f%.*s", (unsigned)record->weight,
                          isolate >= 0 && begins_place(frames, record, (uint32_t)isolate),
                          owner ? (int)owner->name_len : 0, owner ? code_name(owner) : "");
    for (uint32_t i = 0; i < stack->count; i++)
        put_location(profile, &profile->locations.items[profile->stacks.locations[stack->at + i]]);
    write_line(text);
    return id;
}

/* The tick in which V8 took the sample of time |at|, 0: none. V8 adds a microsecond to its clock. */
static uint32_t tick_at(int64_t at)
{
    uint32_t low = 1, high = oracle.ticks + 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (oracle.end[middle] < at - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low <= oracle.ticks && oracle.begin[low] <= at - 1 ? low : 0;
}

static void write_hits(const void *node)
{
    struct text *text = &oracle.theirs;
    struct {
        int line;
        unsigned hits;
    } ticks[MAX_LINES];
    unsigned count = v8.hit_lines(node);
    text->used = fmt_text(text->bytes, 64, "hits\x1f%p", node);
    if (count && count <= MAX_LINES && v8.line_ticks(node, ticks, count))
        for (unsigned i = 0; i < count; i++)
            text->used +=
                fmt_text(text->bytes + text->used, 64, "\x1e%d\x1f%u", ticks[i].line, ticks[i].hits);
    write_line(text);
}

static void write_profile(const void *profile, int mode)
{
    unsigned others = 0;
    struct text *text = &oracle.theirs;
    for (int i = 0; i < v8.count(profile); i++) {
        uint32_t tick = tick_at(v8.timestamp(profile, i));
        if (!tick) {
            others++; /* at the start, and at each deoptimization */
            continue;
        }
        const void *leaf = v8.sample(profile, i);
        if (mode == 0) write_hits(leaf);
        text->used = fmt_text(text->bytes, 64, "v8\x1f%d\x1f%u\x1f%p\x1f%d", mode, tick, leaf,
                              v8.state ? v8.state(profile, i) : -1);
        for (const void *node = leaf; node && v8.parent(node); node = v8.parent(node))
            put_frame(text, v8.name(node), v8.url(node), v8.line(node), v8.source_type(node), 0);
        write_line(text);
    }
    text->used = fmt_text(text->bytes, 64, "ticks\x1f%u\x1f%u", oracle.ticks, others);
    write_line(text);
}

static void *title(int mode)
{
    return v8.new_string(oracle.isolate, titles[mode], 0, -1);
}

static void *stop(int mode)
{
    if (v8.stop_id) return v8.stop_id(oracle.profiler, oracle.id[mode]);
    void *scope[8];
    v8.open_scope(scope, oracle.isolate);
    void *profile = v8.stop(oracle.profiler, title(mode));
    v8.close_scope(scope);
    return profile;
}

static void finish(void *unused)
{
    oracle.running = 0;
    for (int mode = 0; mode < MODES; mode++) write_profile(stop(mode), mode);
}

/* Called in the interrupt in which the library attaches to an isolate: the main thread's is the first. */
static void attach(v8_isolate *isolate, void (*hook)(void *), void *argument)
{
    oracle.add_cleanup_hook(isolate, hook, argument);
    if (oracle.profiler || sys_gettid() != sampler.pid) return;
    oracle.isolate = isolate;
    oracle.profiler = v8.create(isolate, DEBUG_NAMING, EAGER_LOGGING);
    v8.set_interval(oracle.profiler, V8_INTERVAL_MICROS);
    for (int mode = 0; mode < MODES; mode++)
        if (v8.start_id)
            oracle.id[mode] = (unsigned)v8.start_id(oracle.profiler, title(mode), mode, 1, NO_LIMIT);
        else
            v8.start(oracle.profiler, title(mode), mode, 1, NO_LIMIT);
    sigaction_get(SIGPROF, &oracle.handler);
    oracle.add_cleanup_hook(isolate, finish, NULL); /* runs before the one above */
    oracle.running = 1;
}

/* V8's sampling thread arms its sampler and then sends this signal: the arming is all we want of it. */
__attribute__((visibility("default"))) int pthread_kill(pthread_t thread, int signo)
{
    static int (*next)(pthread_t, int);
    if (signo == SIGPROF && oracle.running) return 0;
    if (!next) next = (int (*)(pthread_t, int))next_symbol("pthread_kill");
    return next(thread, signo);
}

static void find_v8(void *(*lookup)(const char *))
{
    struct {
        void *slot;
        const char *symbol;
    } functions[] = {
        {&v8.create,
         "_ZN2v811CpuProfiler3NewEPNS_7IsolateENS_22CpuProfilingNamingModeENS_23CpuProfilingLoggingModeE"},
        {&v8.set_interval, "_ZN2v811CpuProfiler19SetSamplingIntervalEi"},
        {&v8.start, "_ZN2v811CpuProfiler14StartProfilingENS_5LocalINS_6StringEEENS_16CpuProfilingModeEbj"},
        {&v8.start_id, "_ZN2v811CpuProfiler5StartENS_5LocalINS_6StringEEENS_16CpuProfilingModeEbj"},
        {&v8.stop, "_ZN2v811CpuProfiler13StopProfilingENS_5LocalINS_6StringEEE"},
        {&v8.stop_id, "_ZN2v811CpuProfiler4StopEj"},
        {&v8.new_string, "_ZN2v86String11NewFromUtf8EPNS_7IsolateEPKcNS_13NewStringTypeEi"},
        {&v8.open_scope, "_ZN2v811HandleScopeC1EPNS_7IsolateE"},
        {&v8.close_scope, "_ZN2v811HandleScopeD1Ev"},
        {&v8.count, "_ZNK2v810CpuProfile15GetSamplesCountEv"},
        {&v8.sample, "_ZNK2v810CpuProfile9GetSampleEi"},
        {&v8.timestamp, "_ZNK2v810CpuProfile18GetSampleTimestampEi"},
        {&v8.state, "_ZNK2v810CpuProfile14GetSampleStateEi"},
        {&v8.name, "_ZNK2v814CpuProfileNode18GetFunctionNameStrEv"},
        {&v8.url, "_ZNK2v814CpuProfileNode24GetScriptResourceNameStrEv"},
        {&v8.line, "_ZNK2v814CpuProfileNode13GetLineNumberEv"},
        {&v8.source_type, "_ZNK2v814CpuProfileNode13GetSourceTypeEv"},
        {&v8.hit_lines, "_ZNK2v814CpuProfileNode15GetHitLineCountEv"},
        {&v8.line_ticks, "_ZNK2v814CpuProfileNode12GetLineTicksEPNS0_8LineTickEj"},
        {&v8.parent, "_ZNK2v814CpuProfileNode9GetParentEv"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = lookup(functions[i].symbol);
        memcpy(functions[i].slot, &function, sizeof function);
    }
}

int __real_v8_abi_find(struct v8_functions *functions, void *(*lookup)(const char *), const char **missing);

int __wrap_v8_abi_find(struct v8_functions *functions, void *(*lookup)(const char *), const char **missing)
{
    int rc = __real_v8_abi_find(functions, lookup, missing);
    const char *path = getenv("CPU_PROFILER_ORACLE_OUT");
    if (rc || !path) return rc;
    oracle.path = path;
    find_v8(lookup);
    oracle.add_cleanup_hook = functions->add_cleanup_hook;
    functions->add_cleanup_hook = attach;
    return 0;
}
