/*
 * The signal handler: everything here and everything it calls is async-signal-safe, uses no libc, no lock, no
 * thread-local storage and, on the normal path, no system call. This file holds nothing else.
 */
#include <sys/uio.h>

#include "node/isolate.h"
#include "sample/ring.h"
#include "sample/sampler.h"
#include "sys/rawcall.h"
#include "unwind/tables.h"
#include "unwind/walk.h"

struct sampler sampler;

enum {
    PAGE_BYTES = 4096,
    PROBE_PAGES = 16,       /* pages asked about in one system call */
    PROBE_CALLS = 16,       /* a tick looks at 1 MiB more of a stack at most */
    NEAR_STACK = 256 << 20, /* bytes: a stack pointer further below the known part is on another stack */
    RED_ZONE = 128,         /* bytes below the stack pointer that are the function's (System V x86-64 ABI) */
    BACKGROUND_AFTER = 2,   /* ticks: a helper that lives shorter gets no thread */
    FRAME_CONTEXT =
        8, /* V8's frames, below their frame pointer (V8 9 to 14): the context, or the frame's type */
    FRAME_FUNCTION = 16,       /* the JSFunction */
    INTERPRETER_BYTECODE = 32, /* an interpreted frame's bytecode array, below its frame pointer */
    INTERPRETER_OFFSET = 40,   /* and the offset in it, a small integer in the upper half (V8 9 to 14) */
};

/* How many of the |count| pages from |page| up can be read: process_vm_readv stops where a load would fault.
 */
static unsigned pages_readable(int tid, uintptr_t page, unsigned count)
{
    unsigned char sink[PROBE_PAGES];
    struct iovec local = {sink, count};
    struct iovec remote[PROBE_PAGES];
    for (unsigned i = 0; i < count; i++) {
        remote[i].iov_base = (void *)(page + (uintptr_t)i * PAGE_BYTES);
        remote[i].iov_len = 1;
    }
    long n = sys_call6(SYS_process_vm_readv, tid, (long)&local, 1, (long)remote, (long)count, 0);
    return n > 0 ? (unsigned)n : 0;
}

/* Extends the known readable part of the stack down to |sp|: only when a thread is deeper than it ever was at
 * a tick. */
__attribute__((noinline)) static int extend_stack(struct thread *thread, uintptr_t sp)
{
    uintptr_t wanted = sp & ~(uintptr_t)(PAGE_BYTES - 1);
    for (unsigned call = 0; call < PROBE_CALLS && thread->stack_low > wanted; call++) {
        uintptr_t pages = (thread->stack_low - wanted + PAGE_BYTES - 1) / PAGE_BYTES;
        if (pages > PROBE_PAGES) pages = PROBE_PAGES;
        uintptr_t low = (thread->stack_low & ~(uintptr_t)(PAGE_BYTES - 1)) - pages * PAGE_BYTES;
        if (thread->stack_low % PAGE_BYTES) low += PAGE_BYTES;
        if (low < wanted) low = wanted;
        if (pages_readable(thread->tid, low, (unsigned)pages) < pages) return 0;
        thread->stack_low = low;
    }
    return thread->stack_low <= sp;
}

/*
 * Another stack than the thread's own: a coroutine's, an alternate one. Asked anew at every tick that is on
 * it, because it may be gone, and its addresses something else, at the next.
 */
__attribute__((noinline)) static int probe_stack(struct thread *thread, uintptr_t sp,
                                                 struct unwind_bounds *bounds)
{
    uintptr_t page = sp & ~(uintptr_t)(PAGE_BYTES - 1);
    unsigned pages = pages_readable(thread->tid, page, PROBE_PAGES);
    if (!thread->stack_high)
        thread->unknown_sp = sp; /* a thread not made by pthread_create: see find_stack, collect/ */
    bounds->lo2 = page;
    bounds->hi2 = page + (uintptr_t)pages * PAGE_BYTES;
    return pages != 0;
}

/* The readable range that |sp| lies in, or 0. The red zone below it is wanted too: after "pop rbp" the saved
 * value is still looked for there. */
static int find_stack(struct thread *thread, uintptr_t sp, struct unwind_bounds *bounds)
{
    uintptr_t wanted = sp - RED_ZONE;
    if (wanted < thread->stack_low && sp < thread->stack_high && sp + NEAR_STACK > thread->stack_low)
        extend_stack(thread, wanted);
    *bounds =
        (struct unwind_bounds){.lo = thread->stack_low, .hi = thread->stack_high, .root = thread->stack_root};
    if (sp >= thread->stack_low && sp < thread->stack_high) return 1;
    return probe_stack(thread, sp, bounds);
}

/* Where the interpreter stands in the frame with frame pointer |fp|, as V8's own sampler tells it; in the
 * frame of baseline code, which has something else for the offset, the bytecode array; 0 if unreadable. */
static uint64_t interpreter_position(const struct unwind_bounds *bounds, uintptr_t sp, uintptr_t fp)
{
    if (fp % 8 || fp < sp + INTERPRETER_OFFSET || fp < bounds->lo + INTERPRETER_OFFSET || fp >= bounds->hi)
        return 0;
    uint64_t bytecode = *(const uint64_t *)(fp - INTERPRETER_BYTECODE);
    uint64_t offset = *(const uint64_t *)(fp - INTERPRETER_OFFSET);
    return (uint32_t)offset ? bytecode : bytecode + (offset >> 32);
}

/* The JSFunction of the JavaScript frame with frame pointer |fp|; 0 for other frames: they hold an even
 * marker there. */
static uint64_t frame_function(const struct unwind_bounds *bounds, uintptr_t sp, uintptr_t fp)
{
    if (fp % 8 || fp < sp + FRAME_FUNCTION || fp < bounds->lo + FRAME_FUNCTION || fp >= bounds->hi) return 0;
    uint64_t context_or_marker = *(const uint64_t *)(fp - FRAME_CONTEXT);
    return context_or_marker & 1 ? *(const uint64_t *)(fp - FRAME_FUNCTION) : 0;
}

static uint64_t stack_word(const struct unwind_bounds *bounds, uintptr_t at)
{
    return at % 8 || at < bounds->lo || at + 8 > bounds->hi ? 0 : *(const uint64_t *)at;
}

/* The frame behind word |i| of what unwind_copy gives for |count| words; NULL for the mark of a cut. */
static const struct unwind_frame *copied_frame(const struct unwind_memo *memo, unsigned count, int cut,
                                               unsigned i)
{
    unsigned leaf_side = cut ? count - SAMPLE_KEEP_ROOT - 1 : count;
    if (i < leaf_side) return unwind_frame_at(memo, i);
    return i == leaf_side ? 0 : unwind_frame_at(memo, memo->count - (count - i));
}

static void write_record(struct thread *thread, const struct unwind_bounds *bounds, const struct regs *regs,
                         uint64_t weight, unsigned js_count)
{
    const struct unwind_memo *memo = thread->memo;
    int cut = memo->gap || memo->count > sampler.max_depth;
    unsigned native = cut ? sampler.max_depth : memo->count;
    unsigned script = sampler.script ? native : 0;
    uint32_t words = native + 2 * script + js_count;
    struct sample_record *record = ring_reserve(thread->index, words);
    if (!record) return;
    struct node_isolate *isolate = sampler.script ? node_isolate_of(thread) : 0;
    record->thread_index = thread->index;
    record->thread_generation = thread->generation;
    record->weight = weight;
    record->sequence = __atomic_load_n(&node_process.sequence, __ATOMIC_ACQUIRE);
    record->unloads = __atomic_load_n(&sampler.unloads, __ATOMIC_ACQUIRE);
    record->native_count = (uint16_t)native;
    record->script_count = (uint16_t)script;
    record->js_count = (uint16_t)js_count;
    record->end = (uint8_t)memo->end;
    record->has_isolate = isolate != 0;
    record->isolate = isolate ? isolate->index : 0;
    record->top[0] = script ? stack_word(bounds, regs->sp) : 0;
    record->top[1] = script ? stack_word(bounds, regs->sp + sizeof(uint64_t)) : 0;
    unwind_copy(memo, sampler.max_depth, SAMPLE_KEEP_ROOT, record->words, &record->cut);
    for (unsigned i = 0; i < script; i++) {
        const struct unwind_frame *frame = copied_frame(memo, native, cut, i);
        record->words[native + i] = frame ? interpreter_position(bounds, regs->sp, frame->fp) : 0;
        record->words[2 * native + i] = frame ? frame_function(bounds, regs->sp, frame->fp) : 0;
    }
    for (unsigned i = 0; i < js_count; i++)
        record->words[native + 2 * script + i] = (uint64_t)thread->js_frames[i];
    ring_commit(record, words);
}

/* The interrupted instruction alone: the stack is not known to be readable, or there are no tables yet and
 * frame pointers alone would be a guess, for half of libc's functions have none. */
static void leaf_only(const struct regs *regs, struct unwind_memo *memo)
{
    unwind_forget(memo);
    memo->frames[0] = (struct unwind_frame){regs->pc | UNWIND_PC_EXACT, regs->sp, regs->fp, 0};
    memo->count = 1;
    memo->gap = 0;
    memo->generation = UINT32_MAX; /* no walk goes on from it */
    memo->end = UNWIND_END_UNREADABLE;
}

/* Code of no module: a library that was just loaded. V8's own code is known otherwise. */
static void report_unknown(const struct unwind_tables *tables, uintptr_t pc)
{
    int known = 0;
    if (sampler.script || !tables || tables_contains(tables, pc)) return;
    if (__atomic_compare_exchange_n(&sampler.modules_unknown, &known, 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
        sampler.wake_background();
}

static void take_sample(struct thread *thread, const ucontext_t *context, uint64_t weight)
{
    struct regs regs = regs_from_ucontext(context);
    const struct unwind_tables *tables = tables_enter(&thread->epoch);
    struct unwind_bounds bounds;
    unsigned js_count = 0;
    int stack_known = find_stack(thread, regs.sp, &bounds);
    if (tables && stack_known)
        unwind_walk(tables, regs, UNWIND_PC_EXACT, &bounds, thread->memo);
    else
        leaf_only(&regs, thread->memo);
    if (!stack_known) __atomic_add_fetch(&sampler.unknown_stacks, 1, __ATOMIC_RELAXED);
    if (sampler.script) {
        node_tick(thread, tables);
        if (thread->memo->end != UNWIND_END_COMPLETE) js_count = node_stack_sample(thread, &regs);
    }
    report_unknown(tables, regs.pc);
    write_record(thread, &bounds, &regs, weight, js_count);
    tables_leave(&thread->epoch);
}

/* A tick that takes no sample, see node_contact_due. */
static void contact(const siginfo_t *info, const ucontext_t *context)
{
    struct thread *thread = sampler.contact_thread;
    if (info->si_timerid != node_process.contact_timer || thread->epoch || !node_contact_due()) return;
    struct regs regs = regs_from_ucontext(context);
    struct unwind_bounds bounds;
    const struct unwind_tables *tables = tables_enter(&thread->epoch);
    if (tables && find_stack(thread, regs.sp, &bounds)) {
        unwind_walk(tables, regs, UNWIND_PC_EXACT, &bounds, thread->memo);
        node_tick(thread, tables);
    }
    tables_leave(&thread->epoch);
}

/* Somebody else's signal: does what it would do without us. */
static void pass_on(int signo, siginfo_t *info, void *context)
{
    const struct sigaction_raw *former = &sampler.former;
    __atomic_add_fetch(&sampler.foreign, 1, __ATOMIC_RELAXED);
    if (former->handler == (void *)SIG_IGN || former->handler == (void *)sampler_handle) return;
    if (former->handler == (void *)SIG_DFL) {
        /* The default of every signal we use is to end the process: it does when the handler returns. */
        sigaction_set(signo, former);
        sys_call3(SYS_tgkill, sampler.pid, sys_gettid(), signo);
    } else if (former->flags & SA_SIGINFO) {
        ((void (*)(int, siginfo_t *, void *))former->handler)(signo, info, context);
    } else {
        ((void (*)(int))former->handler)(signo);
    }
}

/* The thread that a tick of ours belongs to, NULL if the signal is not from our timers. */
static struct thread *thread_of(const siginfo_t *info, int *foreign)
{
    void *cookie = info->si_value.sival_ptr;
    *foreign = 0;
    if (info->si_code == SI_TIMER && cookie == &sampler) return registry_find(sys_gettid());
    if (info->si_code == SI_TIMER && registry_owns(cookie)) {
        struct thread *thread = cookie;
        return __atomic_load_n(&thread->timer, __ATOMIC_ACQUIRE) == info->si_timerid ? thread : 0;
    }
    *foreign = 1;
    return 0;
}

void sampler_handle(int signo, siginfo_t *info, void *context)
{
    int foreign;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &node_process) {
        contact(info, context);
        return;
    }
    struct thread *thread = thread_of(info, &foreign);
    if (foreign) {
        pass_on(signo, info, context);
        return;
    }
    if (!thread || __atomic_load_n(&sampler.stopped, __ATOMIC_ACQUIRE)) return;
    if (__atomic_load_n(&thread->epoch, __ATOMIC_RELAXED)) return; /* nested in ourselves */
    thread->ticks++;
    uint32_t total = __atomic_add_fetch(&sampler.total_ticks, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&sampler.waits_for_background, __ATOMIC_ACQUIRE) && total >= BACKGROUND_AFTER)
        sampler.start_background();
    if (__atomic_load_n(&sampler.renewing, __ATOMIC_ACQUIRE)) return;
    take_sample(thread, context, (uint64_t)sampler.interval * (1 + (uint64_t)info->si_overrun));
}
