/*
 * Preloaded into node beside nothing: attaches to the main thread's isolate as the product does (a tick in
 * V8's own code, then an interrupt) and decodes each piece of optimized code in its code event. Decoded
 * positions are compared with the line events that V8 sends for the same code (their offsets and positions
 * are V8's own decoding); the inlined functions are named by the code events of their bytecode. Every other
 * piece of JIT code must be refused.
 *
 * At exit it writes to the file INLINING_PROBE_OUT one JSON object a line: for each optimized function whose
 * name contains INLINING_PROBE_SHOW its tree, and last the counts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "node/inlining.h"
#include "node/v8_abi.h"

enum {
    SIGNAL = 44,
    INTERVAL_NANOS = 500 * 1000,
    MODULES = 64,
    BUCKETS = 1 << 16,
    NAME_BYTES = 160,
    EARLY = 10000,
    MARK_BYTES = 14 /* the mark is within; "LazyCompile:" is the longest before it */
};

struct bytecode {
    struct bytecode *next;
    uintptr_t start;
    char name[NAME_BYTES];
};

/* One code's line events. */
struct lines {
    uintptr_t code_start;
    size_t count, cap;
    struct {
        size_t offset, position;
    } * items;
};

static struct {
    struct v8_functions v8;
    struct {
        uintptr_t start, limit;
    } modules[MODULES];
    unsigned module_count;
    int prepared; /* inlining_prepare's answer */
    int requested;
    pid_t pid;
    timer_t timer;
    pthread_mutex_t lock; /* a compiler's thread may send events */
    struct bytecode *bytecodes[BUCKETS];
    int enumerating;
    size_t early_count;
    uintptr_t early[EARLY];
    struct lines *last; /* of the code whose event comes next */
    FILE *out;
    const char *shown;
    unsigned long optimized, decoded, failed, others, others_taken, functions, named, positions;
    unsigned long compared, agreed, nanos, most_functions, most_positions;
} probe = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *look_up(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static struct bytecode **bytecode_at(uintptr_t start)
{
    struct bytecode **at = &probe.bytecodes[(start * 0x9e3779b97f4a7c15u) >> 48];
    while (*at && (*at)->start != start) at = &(*at)->next;
    return at;
}

static struct bytecode *bytecode_take(uintptr_t start)
{
    struct bytecode **at = bytecode_at(start), *taken = *at;
    if (taken) *at = taken->next;
    return taken;
}

static void bytecode_put(struct bytecode *bytecode, uintptr_t start)
{
    free(bytecode_take(start));
    struct bytecode **at = bytecode_at(start);
    bytecode->start = start;
    bytecode->next = NULL;
    *at = bytecode;
}

static void add_bytecode(const struct v8_jit_code_event *event)
{
    struct bytecode *bytecode = malloc(sizeof *bytecode);
    int len = event->name.len < NAME_BYTES ? (int)event->name.len : NAME_BYTES - 1;
    snprintf(bytecode->name, sizeof bytecode->name, "%.*s", len, event->name.text);
    bytecode_put(bytecode, event->code_start);
}

/* The position that holds at |offset| of the code, or NULL. */
static const struct inlined_position *position_at(const struct inlining *inlining, size_t offset)
{
    const struct inlined_position *found = NULL;
    for (uint32_t i = 0; i < inlining->position_count && inlining->positions[i].pc_offset <= offset; i++)
        found = &inlining->positions[i];
    return found;
}

/* V8 tells of each address in order; the last it tells of an address is the one that must hold there. */
static int lines_agree(const struct inlining *inlining, const struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (i + 1 < lines->count && lines->items[i + 1].offset == lines->items[i].offset) continue;
        const struct inlined_position *position = position_at(inlining, lines->items[i].offset);
        if (!position || (int)position->position != (int)lines->items[i].position) return 0;
    }
    for (uint32_t k = 0, i = 0; k < inlining->position_count; k++) {
        while (i < lines->count && lines->items[i].offset < inlining->positions[k].pc_offset) i++;
        if (i == lines->count || lines->items[i].offset != inlining->positions[k].pc_offset) return 0;
    }
    return 1;
}

/* Of TurboFan's code only: V8 tells no lines of Maglev's, which may lie where discarded code was told of. */
static void compare(const struct v8_jit_code_event *event, const struct inlining *inlining)
{
    int turbofan =
        memchr(event->name.text, '*', event->name.len < MARK_BYTES ? event->name.len : MARK_BYTES) != NULL;
    if (!turbofan || !probe.last || probe.last->code_start != event->code_start || !probe.last->count) return;
    probe.compared++;
    int agree = lines_agree(inlining, probe.last);
    probe.agreed += (unsigned)agree;
    if (agree) return;
    fprintf(probe.out, "{\"differs\": \"%.*s\", \"v8\": [", (int)event->name.len, event->name.text);
    for (size_t i = 0; i < probe.last->count; i++)
        fprintf(probe.out, "%s[%zu, %d]", i ? ", " : "", probe.last->items[i].offset,
                (int)probe.last->items[i].position);
    fprintf(probe.out, "], \"ours\": [");
    for (uint32_t i = 0; i < inlining->position_count; i++)
        fprintf(probe.out, "%s[%u, %d]", i ? ", " : "", inlining->positions[i].pc_offset,
                (int)inlining->positions[i].position);
    fprintf(probe.out, "]}\n");
}

static const char *name_of(const struct inlined_function *function)
{
    const struct bytecode *bytecode = *bytecode_at(function->bytecode);
    return bytecode ? bytecode->name : "";
}

static void show(const struct v8_jit_code_event *event, const struct inlining *inlining)
{
    if (!probe.shown || !memmem(event->name.text, event->name.len, probe.shown, strlen(probe.shown))) return;
    fprintf(probe.out, "{\"name\": \"%.*s\", \"length\": %zu, \"functions\": [", (int)event->name.len,
            event->name.text, event->code_len);
    for (uint32_t i = 0; i < inlining->function_count; i++)
        fprintf(probe.out, "%s[\"%s\", %u, %d]", i ? ", " : "", name_of(&inlining->functions[i]),
                inlining->functions[i].caller, (int)inlining->functions[i].call_position);
    fprintf(probe.out, "], \"positions\": [");
    for (uint32_t i = 0; i < inlining->position_count; i++)
        fprintf(probe.out, "%s[%u, %u, %d]", i ? ", " : "", inlining->positions[i].pc_offset,
                inlining->positions[i].function, (int)inlining->positions[i].position);
    fprintf(probe.out, "]}\n");
}

static unsigned long nanos_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
}

/* Counts a known name. While V8 enumerates what exists, a function's own event may come after that of the
 * code it was inlined into. */
static void count_name(uintptr_t bytecode)
{
    if (*bytecode_at(bytecode))
        probe.named++;
    else if (probe.enumerating && probe.early_count < EARLY)
        probe.early[probe.early_count++] = bytecode;
}

static void decode(const struct v8_jit_code_event *event)
{
    struct inlining inlining;
    unsigned long began = nanos_now();
    int rc = inlining_decode(event->code_start, event->code_len, event->script != NULL, &inlining);
    probe.nanos += nanos_now() - began;
    probe.optimized++;
    if (rc) {
        probe.failed++;
        fprintf(probe.out, "{\"failed\": \"%.*s\", \"error\": %d}\n", (int)event->name.len, event->name.text,
                rc);
        return;
    }
    probe.decoded++;
    probe.functions += inlining.function_count;
    probe.positions += inlining.position_count;
    if (inlining.function_count > probe.most_functions) probe.most_functions = inlining.function_count;
    if (inlining.position_count > probe.most_positions) probe.most_positions = inlining.position_count;
    for (uint32_t i = 0; i < inlining.function_count; i++) count_name(inlining.functions[i].bytecode);
    compare(event, &inlining);
    show(event, &inlining);
    inlining_free(&inlining);
}

/* True for the marks of TurboFan and Maglev behind the kind ("JS:*f x.js:1:2", "LazyCompile:*f x.js:1"; since
 * V8 14 "JS:o*f" when the function was replaced on the stack). */
static int is_optimized(const struct v8_jit_code_event *event)
{
    static const char *const kinds[] = {"JS:", "LazyCompile:", "Function:", "Eval:", "Script:"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = strlen(kinds[i]);
        if (event->name.len > len + 1 && !memcmp(event->name.text, kinds[i], len))
            return event->name.text[len] == '*' || event->name.text[len] == '+' ||
                   (event->name.text[len] == 'o' && memchr("*+", event->name.text[len + 1], 2));
    }
    return 0;
}

static void refuse(const struct v8_jit_code_event *event)
{
    struct inlining inlining;
    probe.others++;
    if (inlining_decode(event->code_start, event->code_len, event->script != NULL, &inlining)) return;
    probe.others_taken++;
    fprintf(probe.out, "{\"taken\": \"%.*s\"}\n", (int)event->name.len, event->name.text);
    inlining_free(&inlining);
}

static void on_added(const struct v8_jit_code_event *event)
{
    if (event->code_type == V8_BYTE_CODE)
        add_bytecode(event);
    else if (event->code_type == V8_JIT_CODE && is_optimized(event))
        decode(event);
    else
        refuse(event);
}

static void free_lines(struct lines *lines)
{
    if (lines) free(lines->items);
    free(lines);
}

static void on_line(struct v8_jit_code_event *event)
{
    struct lines *lines = event->user_data;
    if (event->type == V8_CODE_START_LINE_INFO) {
        event->user_data = calloc(1, sizeof *lines);
    } else if (event->type == V8_CODE_END_LINE_INFO) {
        if (!lines) return;
        lines->code_start = event->code_start;
        free_lines(probe.last);
        probe.last = lines;
    } else if (lines && event->line.position_type == 0) {
        if (lines->count == lines->cap) {
            lines->cap = lines->cap ? 2 * lines->cap : 64;
            lines->items = realloc(lines->items, lines->cap * sizeof *lines->items);
        }
        lines->items[lines->count].offset = event->line.offset;
        lines->items[lines->count++].position = event->line.position;
    }
}

static void on_code(struct v8_jit_code_event *event)
{
    pthread_mutex_lock(&probe.lock);
    if (event->type == V8_CODE_ADDED) {
        on_added(event);
    } else if (event->type == V8_CODE_MOVED) {
        struct bytecode *bytecode =
            event->code_type == V8_BYTE_CODE ? bytecode_take(event->code_start) : NULL;
        if (bytecode) bytecode_put(bytecode, event->new_code_start);
    } else if (event->type == V8_CODE_REMOVED) {
        free(bytecode_take(event->code_start));
    } else {
        on_line(event);
    }
    pthread_mutex_unlock(&probe.lock);
}

static void on_interrupt(v8_isolate *isolate, void *argument)
{
    timer_delete(probe.timer);
    if (probe.v8.use_detailed_positions && !getenv("INLINING_PROBE_CALLS_ONLY"))
        probe.v8.use_detailed_positions(isolate);
    probe.enumerating = 1;
    probe.v8.set_jit_code_event_handler(isolate, V8_ENUMERATE_EXISTING, on_code);
    probe.enumerating = 0;
    for (size_t i = 0; i < probe.early_count; i++) probe.named += *bytecode_at(probe.early[i]) != NULL;
}

static int in_module(uintptr_t pc)
{
    for (unsigned i = 0; i < probe.module_count; i++)
        if (pc >= probe.modules[i].start && pc < probe.modules[i].limit) return 1;
    return 0;
}

/* Ticks in V8's own code only: there the isolate is whole and no lock is held. */
static void on_tick(int signo, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;
    uintptr_t pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    const void *blob = NULL;
    size_t size = 0;
    if (probe.requested) return;
    probe.v8.get_embedded_code_range(NULL, &blob, &size);
    if (!blob || (pc - (uintptr_t)blob >= size && in_module(pc))) return;
    v8_isolate *isolate = probe.v8.try_get_current();
    if (!isolate) return;
    probe.requested = 1;
    probe.v8.request_interrupt(isolate, on_interrupt, NULL);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || probe.module_count == MODULES) continue;
        probe.modules[probe.module_count].start = info->dlpi_addr + p->p_vaddr;
        probe.modules[probe.module_count++].limit = info->dlpi_addr + p->p_vaddr + p->p_memsz;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *missing, *path = getenv("INLINING_PROBE_OUT");
    if (!path || v8_abi_find(&probe.v8, look_up, &missing)) return;
    unsetenv("LD_PRELOAD");
    probe.out = fopen(path, "we");
    if (!probe.out) return;
    probe.pid = getpid();
    probe.shown = getenv("INLINING_PROBE_SHOW");
    probe.prepared = inlining_prepare(probe.v8.get_version(), look_up);
    dl_iterate_phdr(add_module, NULL);
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(SIGNAL, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
    event._sigev_un._tid = probe.pid;
    struct itimerspec spec = {{0, INTERVAL_NANOS}, {0, INTERVAL_NANOS}};
    timer_create(CLOCK_MONOTONIC, &event, &probe.timer);
    timer_settime(probe.timer, 0, &spec, NULL);
}

__attribute__((destructor)) static void report(void)
{
    if (!probe.out || getpid() != probe.pid) return;
    signal(SIGNAL, SIG_IGN);
    pthread_mutex_lock(&probe.lock);
    fprintf(
        probe.out,
        "{\"version\": \"%s\", \"prepared\": %d, \"optimized\": %lu, \"decoded\": %lu, \"failed\": %lu, "
        "\"others\": %lu, \"others_taken\": %lu, \"functions\": %lu, \"named\": %lu, \"positions\": %lu, "
        "\"compared\": %lu, \"agreed\": %lu, \"nanos\": %lu, \"most_functions\": %lu, \"most_positions\": "
        "%lu}\n",
        probe.v8.get_version(), probe.prepared, probe.optimized, probe.decoded, probe.failed, probe.others,
        probe.others_taken, probe.functions, probe.named, probe.positions, probe.compared, probe.agreed,
        probe.nanos, probe.most_functions, probe.most_positions);
    fclose(probe.out);
    pthread_mutex_unlock(&probe.lock);
}
