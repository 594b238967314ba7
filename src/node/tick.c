/* What a tick does about V8; async-signal-safe, this file holds nothing else. */
#include "node/isolate.h"
#include "sample/sampler.h"
#include "sys/rawcall.h"

enum { CONTACT_TICKS = 2000, REQUEST_TICKS = 10 };

struct node_process node_process;

/* Ignores its argument in V8 9.4 to 14.6 and gives 0 before V8 is initialised, so it may be called at any
 * time. */
static void learn_blob(void)
{
    const void *code = 0;
    size_t length = 0;
    node_process.v8.get_embedded_code_range(0, &code, &length);
    if (!code) return;
    node_process.blob_limit = (uintptr_t)code + length;
    __atomic_store_n(&node_process.blob_start, (uintptr_t)code, __ATOMIC_RELEASE);
}

static int in_blob(uintptr_t pc)
{
    uintptr_t start = __atomic_load_n(&node_process.blob_start, __ATOMIC_ACQUIRE);
    return start && pc >= start && pc < node_process.blob_limit;
}

int node_is_v8_code(uintptr_t pc, const struct unwind_tables *tables)
{
    return in_blob(pc) || (tables && !tables_contains(tables, pc));
}

struct node_isolate *node_isolate_met(const struct thread *thread)
{
    struct node_isolate *isolate = thread->isolate;
    if (!isolate || __atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE) < ISOLATE_SEEN ||
        isolate->thread_index != thread->index || isolate->thread_generation != thread->generation)
        return 0;
    return isolate;
}

struct node_isolate *node_isolate_of(const struct thread *thread)
{
    struct node_isolate *isolate = node_isolate_met(thread);
    return isolate && __atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE) < ISOLATE_CLOSED ? isolate : 0;
}

static struct node_isolate *claim(v8_isolate *v8, const struct thread *thread)
{
    for (uint32_t i = 0; i < NODE_MAX_ISOLATES; i++) {
        struct node_isolate *isolate = &node_process.isolates[i];
        uint32_t free_state = ISOLATE_FREE;
        if (__atomic_load_n(&isolate->state, __ATOMIC_RELAXED) != ISOLATE_FREE) continue;
        if (!__atomic_compare_exchange_n(&isolate->state, &free_state, ISOLATE_CLAIMED, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        isolate->index = i;
        isolate->isolate = v8;
        isolate->ticks = 0;
        isolate->thread_index = thread->index;
        isolate->thread_generation = thread->generation;
        __atomic_store_n(&isolate->state, ISOLATE_SEEN, __ATOMIC_RELEASE);
        return isolate;
    }
    return 0;
}

/* The isolate whose code at |pc| is on the interrupted stack: first contact. */
static struct node_isolate *meet(struct thread *thread, uintptr_t pc)
{
    v8_isolate *v8 = node_process.v8.try_get_current();
    if (!v8) return 0;
    if (!in_blob(pc)) {
        void *start = 0;
        size_t length = 0;
        node_process.v8.get_code_range(v8, &start, &length);
        if (pc - (uintptr_t)start >= length) return 0;
    }
    struct node_isolate *isolate = claim(v8, thread);
    thread->isolate = isolate;
    return isolate;
}

/*
 * The innermost frame of V8's code on the interrupted stack, if everything above it is the binary's own text:
 * then the thread is in no function of libc, holds no lock of malloc, and its isolate is whole, for it runs
 * its code. 0: no such proof. (V8's own critical section that RequestInterrupt takes is recursive, and what
 * it guards are flags: the worst that a tick inside it can do is that the request is lost, and asked again.)
 */
static uintptr_t proven_frame(const struct unwind_memo *memo, const struct unwind_tables *tables)
{
    const struct unwind_module *home = tables_find(tables, node_process.blob_start);
    for (unsigned i = 0; i < memo->count; i++) {
        uintptr_t pc = unwind_frame_at(memo, i)->pc & ~UNWIND_PC_FLAGS;
        if (node_is_v8_code(pc, tables)) return pc;
        if (!home || tables_find(tables, pc) != home) return 0;
    }
    return 0;
}

/* True if the isolate waits for a request: it is new, or its last one got lost. */
static int wants_request(struct node_isolate *isolate)
{
    uint32_t state = __atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE);
    if (state == ISOLATE_REQUESTED && ++isolate->ticks % REQUEST_TICKS == 0)
        __atomic_compare_exchange_n(&isolate->state, &state, ISOLATE_SEEN, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
    return __atomic_load_n(&isolate->state, __ATOMIC_ACQUIRE) == ISOLATE_SEEN;
}

void node_tick(struct thread *thread, const struct unwind_tables *tables)
{
    if (!node_process.enabled || __atomic_load_n(&node_process.closing, __ATOMIC_ACQUIRE)) return;
    if (!node_process.blob_start) learn_blob();
    struct node_isolate *isolate = node_isolate_of(thread);
    if (isolate && !wants_request(isolate)) return;
    if (!isolate && thread->tid != sampler.pid && thread->ticks < node_process.worker_ticks) return;
    uintptr_t pc = proven_frame(thread->memo, tables);
    if (!pc) return;
    if (!isolate) isolate = meet(thread, pc);
    if (!isolate) return;
    uint32_t seen = ISOLATE_SEEN;
    if (__atomic_compare_exchange_n(&isolate->state, &seen, ISOLATE_REQUESTED, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
        node_process.v8.request_interrupt(isolate->isolate, node_process.attach, isolate);
}

int node_contact_due(void)
{
    int timer = node_process.contact_timer;
    if (timer < 0) return 0;
    if (!node_process.attached_ever && ++node_process.contact_ticks < CONTACT_TICKS) return 1;
    node_process.contact_timer = -1;
    sys_call1(SYS_timer_delete, timer);
    return 0;
}

unsigned node_stack_sample(struct thread *thread, const struct regs *regs)
{
    struct node_isolate *isolate = node_isolate_of(thread);
    if (!isolate || __atomic_load_n(&node_process.closing, __ATOMIC_ACQUIRE)) return 0;
    struct v8_register_state state = {regs->pc, regs->sp, regs->fp, 0, 0};
    struct v8_sample_info info;
    info.frames_count = 0;
    node_process.v8.get_stack_sample(isolate->isolate, &state, thread->js_frames, THREAD_JS_FRAMES, &info);
    return info.frames_count <= THREAD_JS_FRAMES ? (unsigned)info.frames_count : 0;
}
