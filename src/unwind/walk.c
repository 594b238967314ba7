/* Async-signal-safe, all of it: nothing is called outside of this file but inline functions. */
#include "unwind/walk.h"

#include "unwind/arch.h"

enum { TOP = 2 * UNWIND_MEMO_FRAMES };

/* A walk under way. Everything is inlined into unwind_walk; this is most of its stack. */
struct walker {
    const struct unwind_tables *tables;
    const struct unwind_bounds *bounds;
    struct unwind_memo *memo;
    uintptr_t lo, hi; /* the range that now.sp is in */
    struct unwind_frame now;
    unsigned depth; /* new frames, in the upper half */
    int old;        /* the innermost frame of the last stack that the walk has not passed yet, -1: none */
};

/* The stack's words as they are, the sanitizer's red zones between variables included. */
__attribute__((no_sanitize("address", "undefined"))) static inline uintptr_t load(const struct walker *w,
                                                                                  uintptr_t address)
{
    return __atomic_load_n((const uintptr_t *)(address + w->bounds->shift), __ATOMIC_RELAXED);
}

static inline int readable(const struct walker *w, uintptr_t address, uintptr_t floor)
{
    return address >= floor && address >= w->lo && address <= w->hi - ARCH_WORD && address % ARCH_WORD == 0;
}

/* Makes the range with |sp| the one to read in. */
static inline int choose_range(struct walker *w, uintptr_t sp)
{
    const struct unwind_bounds *b = w->bounds;
    int first = sp >= b->lo && sp < b->hi, second = sp >= b->lo2 && sp < b->hi2;
    w->lo = first ? b->lo : b->lo2;
    w->hi = first ? b->hi : b->hi2;
    return (first || second) && w->hi - w->lo >= ARCH_WORD;
}

static inline struct unwind_rule rule_at(const struct walker *w, uintptr_t pc)
{
    if (!w->tables || !w->tables->rules) return (struct unwind_rule){.cfa = UNWIND_CFA_INVALID};
    return w->tables->rules[tables_lookup_cached(w->tables, pc)];
}

/* Can |pc| be code? Nothing is mapped below ARCH_PC_MIN or above the user's half. */
static inline enum unwind_end check_pc(uintptr_t pc)
{
    if (pc == 0) return UNWIND_END_ZERO_PC;
    return pc < ARCH_PC_MIN || pc >> ARCH_PC_BITS ? UNWIND_END_NO_RULE : UNWIND_END_NONE;
}

/* Is w->now the frame of libc that called main, or the thread's start routine? */
static inline int is_root(const struct walker *w)
{
    const struct unwind_bounds *b = w->bounds;
    return b->root && w->now.sp >= b->root && w->now.sp < b->hi;
}

/* Code without rules: JIT code keeps frame records. No record, no guess. */
static inline enum unwind_end step_by_record(struct walker *w, struct unwind_frame *next)
{
    uintptr_t fp = w->now.fp;
    /* psABI: fp is 0 in the deepest frame */
    if ((fp == 0 || is_root(w)) && !(w->now.pc & UNWIND_PC_EXACT)) return UNWIND_END_COMPLETE;
    if (!readable(w, fp, w->now.sp) || !readable(w, fp + ARCH_WORD, w->now.sp)) return UNWIND_END_NO_RULE;
    next->sp = fp + ARCH_FRAME_RECORD;
    next->fp = load(w, fp);
    next->fp_slot = fp;
    return UNWIND_END_NONE;
}

/* Below a signal frame is what was interrupted, on this stack or on the one that was left for it. */
static inline enum unwind_end step_by_signal(struct walker *w)
{
    uintptr_t at = w->now.sp;
    if (!readable(w, at, at) || w->hi - at < ARCH_SIGNAL_BYTES) return UNWIND_END_UNREADABLE;
    uintptr_t pc = load(w, at + ARCH_SIGNAL_PC), sp = load(w, at + ARCH_SIGNAL_SP);
    if (check_pc(pc)) return check_pc(pc);
    uintptr_t fp = load(w, at + ARCH_SIGNAL_FP);
    if (sp >= w->lo && sp < w->hi) {
        if (sp <= at) return UNWIND_END_BAD_SP;
    } else if (!choose_range(w, sp)) {
        return UNWIND_END_UNREADABLE;
    }
    w->now.pc = pc | UNWIND_PC_EXACT | UNWIND_PC_REWALK;
    w->now.sp = sp;
    w->now.fp = fp;
    w->now.fp_slot = 0;
    return UNWIND_END_NONE;
}

/* The caller's sp by |rule|; a loaded one sets |*flags|. */
static inline enum unwind_end step_sp(const struct walker *w, const struct unwind_rule *rule, uintptr_t floor,
                                      uintptr_t pc, uintptr_t *cfa, uintptr_t *flags)
{
    uintptr_t base = w->now.sp;
    switch (rule->cfa) {
    case UNWIND_CFA_SP:
        *cfa = base + (uintptr_t)(intptr_t)rule->cfa_offset;
        return UNWIND_END_NONE;
    case UNWIND_CFA_FP:
        *cfa = w->now.fp + (uintptr_t)(intptr_t)rule->cfa_offset;
        return UNWIND_END_NONE;
    case UNWIND_CFA_PLT:
        *cfa = arch_plt_cfa(pc, base, (unsigned)rule->cfa_addend);
        return UNWIND_END_NONE;
    case UNWIND_CFA_END:
        return UNWIND_END_COMPLETE;
    case UNWIND_CFA_DEREF_FP:
        base = w->now.fp;
        break;
    case UNWIND_CFA_DEREF_SP:
        break;
    default:
        return UNWIND_END_NO_RULE;
    }
    base += (uintptr_t)(intptr_t)rule->cfa_offset;
    if (!readable(w, base, floor)) return UNWIND_END_UNREADABLE;
    *cfa = load(w, base) + (uintptr_t)(intptr_t)rule->cfa_addend;
    *flags = UNWIND_PC_REWALK;
    return UNWIND_END_NONE;
}

/* The caller's fp by |rule|. After an epilogue's pop gcc's CFI still names the slot, now below sp. */
static inline enum unwind_end step_fp(const struct walker *w, const struct unwind_rule *rule, uintptr_t floor,
                                      struct unwind_frame *next)
{
    next->fp = w->now.fp;
    next->fp_slot = 0;
    if (rule->fp == UNWIND_FP_SAME) return UNWIND_END_NONE;
    if (rule->fp == UNWIND_FP_UNKNOWN) {
        next->fp = UNWIND_FP_LOST;
        return UNWIND_END_NONE;
    }
    uintptr_t base = rule->fp == UNWIND_FP_AT_CFA ? next->sp : w->now.fp;
    next->fp_slot = base + (uintptr_t)(intptr_t)rule->fp_offset;
    if (!readable(w, next->fp_slot, floor)) return UNWIND_END_UNREADABLE;
    next->fp = load(w, next->fp_slot);
    return UNWIND_END_NONE;
}

/* From w->now to its caller; at the end of the stack the reason, and w->now is as it was. */
static inline enum unwind_end step(struct walker *w)
{
    struct unwind_frame next;
    uintptr_t exact = w->now.pc & UNWIND_PC_EXACT, flags = 0;
    uintptr_t pc = (w->now.pc & ~UNWIND_PC_FLAGS) - !exact;
    uintptr_t floor = exact ? w->now.sp - ARCH_RED_ZONE : w->now.sp;
    struct unwind_rule rule = rule_at(w, pc);
    if (rule.cfa == UNWIND_CFA_SIGNAL) return step_by_signal(w);
    enum unwind_end end;
    if (rule.cfa == UNWIND_CFA_INVALID || rule.cfa == UNWIND_CFA_NO_TABLES) {
        end = step_by_record(w, &next);
        if (end) return end;
    } else {
        end = step_sp(w, &rule, floor, pc, &next.sp, &flags);
        if (end) return end;
        if (next.sp <= w->now.sp || next.sp % ARCH_WORD) return UNWIND_END_BAD_SP;
        end = step_fp(w, &rule, floor, &next);
        if (end) return end;
    }
    if (!readable(w, next.sp + ARCH_RA_OFFSET, w->now.sp)) return UNWIND_END_UNREADABLE;
    next.pc = load(w, next.sp + ARCH_RA_OFFSET);
    end = check_pc(next.pc);
    if (end) return end;
    /* Such code was mostly built without frame pointers: fp is whatever its caller had there. */
    if (rule.cfa == UNWIND_CFA_NO_TABLES && !tables_contains(w->tables, next.pc)) return UNWIND_END_NO_RULE;
    next.pc |= flags;
    w->now = next;
    return UNWIND_END_NONE;
}

/* Where new frame |n| (0: leaf) is kept: downwards from the top, the last ones of a deep stack in a ring. */
static inline unsigned slot_of(unsigned n)
{
    if (n >= UNWIND_LEAF_FRAMES) n = UNWIND_LEAF_FRAMES + (n - UNWIND_LEAF_FRAMES) % UNWIND_ROOT_FRAMES;
    return TOP - 1 - n;
}

static inline void push(struct walker *w, const struct unwind_frame *frame)
{
    w->memo->frames[slot_of(w->depth++)] = *frame;
}

/*
 * How far from frame |from| of the last stack outwards the words are unchanged: the outermost frame that
 * still holds.
 */
static inline int verify(const struct walker *w, int from)
{
    const struct unwind_frame *frames = w->memo->frames;
    int stop = w->memo->gap && from >= UNWIND_ROOT_FRAMES ? UNWIND_ROOT_FRAMES : 0;
    while (from > stop) {
        const struct unwind_frame *f = &frames[from - 1];
        if (f->pc & UNWIND_PC_FLAGS) break;
        if (load(w, f->sp + ARCH_RA_OFFSET) != f->pc) break;
        /* A leaf's slot may have been in the red zone, and the bounds may begin higher now. With no slot, fp
         * is the callee's or lost, as before. */
        if (f->fp_slot && (f->fp_slot < w->lo || load(w, f->fp_slot) != f->fp)) break;
        from--;
    }
    return from;
}

/* Is w->now a frame of the last stack? Then w->old is its place. Both are in the order of sp. */
static inline int meets_old(struct walker *w)
{
    struct unwind_frame *frames = w->memo->frames;
    while (w->old >= 0 && frames[w->old].sp < w->now.sp) w->old--;
    if (w->old < 0) return 0;
    struct unwind_frame *f = &frames[w->old];
    if (f->sp != w->now.sp || f->fp != w->now.fp) return 0;
    if (((f->pc ^ w->now.pc) & ~UNWIND_PC_REWALK) != 0) return 0;
    *f = w->now; /* it may have been reached another way this time */
    return 1;
}

/*
 * At frame w->old of the last stack: takes over what is unchanged. Returns the number of frames kept in place
 * when that is the whole rest, which ends the walk by |*end|; else 0, and the walk goes on from w->now.
 */
static inline unsigned take_over(struct walker *w, enum unwind_end *end)
{
    const struct unwind_frame *frames = w->memo->frames;
    int from = w->old, to = verify(w, from);
    w->memo->reused += (unsigned)(from - to);
    w->now = frames[to];
    w->old = to - 1;
    if (to == 0 && w->depth + (unsigned)from + 1 <= UNWIND_MEMO_FRAMES) {
        *end = step(w); /* why it ended may have changed, too */
        if (*end) return (unsigned)from + 1;
        for (int i = from; i >= 0; i--) push(w, &frames[i]);
        return 0;
    }
    for (int i = from; i >= to && w->depth < UNWIND_DEPTH_MAX; i--) push(w, &frames[i]);
    *end = w->depth >= UNWIND_DEPTH_MAX ? UNWIND_END_DEPTH : step(w);
    return 0;
}

/* An array copy that the compiler does not turn into a call of memmove. */
static inline void move_frames(struct unwind_frame *to, const struct unwind_frame *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        to[i] = from[i];
        __asm__ volatile("" ::: "memory");
    }
}

/* Puts the new frames behind the |kept| old ones. */
static inline void settle(struct walker *w, unsigned kept)
{
    struct unwind_memo *memo = w->memo;
    unsigned depth = w->depth;
    if (depth <= UNWIND_MEMO_FRAMES) {
        move_frames(memo->frames + kept, memo->frames + TOP - depth, depth);
        memo->count = kept + depth;
        memo->gap = 0;
        return;
    }
    for (unsigned i = 0; i < UNWIND_ROOT_FRAMES; i++) memo->frames[i] = memo->frames[slot_of(depth - 1 - i)];
    move_frames(memo->frames + UNWIND_ROOT_FRAMES, memo->frames + TOP - UNWIND_LEAF_FRAMES,
                UNWIND_LEAF_FRAMES);
    memo->count = UNWIND_MEMO_FRAMES;
    memo->gap = depth - UNWIND_MEMO_FRAMES;
}

/* The last stack is of use with the same tables and the same upper bound only: a remote walk's copies begin
 * anywhere, but all words that a frame's callers depend on are above its sp. */
static inline int still_valid(const struct walker *w)
{
    const struct unwind_memo *m = w->memo;
    const struct unwind_bounds *b = w->bounds;
    uint32_t generation = w->tables ? w->tables->generation : 0;
    return m->generation == generation && m->hi == b->hi && m->lo2 == b->lo2 && m->hi2 == b->hi2;
}

static inline void begin(struct walker *w)
{
    struct unwind_memo *m = w->memo;
    w->old = still_valid(w) ? (int)m->count - 1 : -1;
    m->generation = w->tables ? w->tables->generation : 0;
    m->hi = w->bounds->hi;
    m->lo2 = w->bounds->lo2;
    m->hi2 = w->bounds->hi2;
    m->reused = 0;
}

unsigned unwind_walk(const struct unwind_tables *tables, struct regs start, uintptr_t start_flags,
                     const struct unwind_bounds *bounds, struct unwind_memo *memo)
{
    uintptr_t pc = start.pc & (((uintptr_t)1 << ARCH_PC_BITS) - 1);
    struct walker w = {.tables = tables,
                       .bounds = bounds,
                       .memo = memo,
                       .now = {pc | (start_flags & UNWIND_PC_EXACT), start.sp, start.fp, 0}};
    enum unwind_end end = UNWIND_END_NONE;
    unsigned kept = 0;
    begin(&w);
    if (!choose_range(&w, start.sp)) {
        push(&w, &w.now);
        end = UNWIND_END_UNREADABLE;
    }
    while (!end) {
        if (meets_old(&w)) {
            kept = take_over(&w, &end);
            continue;
        }
        push(&w, &w.now);
        end = w.depth >= UNWIND_DEPTH_MAX ? UNWIND_END_DEPTH : step(&w);
    }
    settle(&w, kept);
    memo->end = end;
    return memo->count + memo->gap;
}

void unwind_forget(struct unwind_memo *memo)
{
    memo->count = 0;
    memo->gap = 0;
}

static inline uint64_t word_at(const struct unwind_memo *memo, unsigned leaf_first)
{
    return unwind_frame_at(memo, leaf_first)->pc & ~UNWIND_PC_REWALK;
}

unsigned unwind_copy(const struct unwind_memo *memo, unsigned max_depth, unsigned keep_root, uint64_t *out,
                     unsigned *cut)
{
    unsigned total = memo->count + memo->gap, n = 0;
    unsigned leaf = memo->count, root = 0;
    if (total > max_depth || memo->gap) {
        unsigned room = max_depth < 2 ? 0 : max_depth - 2; /* a leaf frame and the mark come first */
        root = keep_root < room ? keep_root : room;
        if (memo->gap && root > UNWIND_ROOT_FRAMES) root = UNWIND_ROOT_FRAMES;
        leaf = max_depth < 2 ? max_depth : max_depth - 1 - root;
        if (memo->gap && leaf > UNWIND_LEAF_FRAMES) leaf = UNWIND_LEAF_FRAMES;
    }
    *cut = total - leaf - root;
    for (unsigned i = 0; i < leaf; i++) out[n++] = word_at(memo, i);
    if (*cut && n < max_depth) out[n++] = UNWIND_TRUNCATED;
    for (unsigned i = memo->count - root; i < memo->count; i++) out[n++] = word_at(memo, i);
    return n;
}
