/*
 * The stack walker. Everything here is async-signal-safe: no calls, no locks, no system calls, under 200
 * bytes of stack; it reads the stack within the given bounds, the tables, and writes the memo.
 *
 * The memo is what makes it cheap. It keeps the last stack of its thread; when a new walk comes to a frame of
 * that one, with the same pc, sp and fp, the callers are the same as long as the words that lead from one to
 * the next are: the return address and the saved fp of every frame. These are compared by plain loads, 2 a
 * frame, instead of looked up. It is exact: what depends on other words (a CFA that is itself loaded, a
 * signal frame) is walked again.
 */
#ifndef OTELPROF_UNWIND_WALK_H
#define OTELPROF_UNWIND_WALK_H

#include <stdint.h>

#include "sys/regs.h"
#include "unwind/tables.h"

enum {
    UNWIND_MEMO_FRAMES = 1024, /* kept of one stack */
    UNWIND_ROOT_FRAMES = 32,   /* of these the outermost, of a deeper stack */
    UNWIND_LEAF_FRAMES = UNWIND_MEMO_FRAMES - UNWIND_ROOT_FRAMES, /* and the innermost */
    UNWIND_DEPTH_MAX = 8192                                       /* a walk ends here */
};

/* In a frame's pc: this is the interrupted instruction itself (the leaf, or below a signal frame), not a
 * return address; so a consumer looks up pc, and pc - 1 without the bit. User addresses have 47 bits. */
#define UNWIND_PC_EXACT (1ULL << 63)

/* In a frame's pc, of no interest outside: nothing short of a walk leads to this frame. */
#define UNWIND_PC_REWALK (1ULL << 62)

#define UNWIND_PC_FLAGS (UNWIND_PC_EXACT | UNWIND_PC_REWALK)

/* The caller's fp after a frame that does not keep it: no valid frame pointer. (0 is one, for "outermost".)
 */
#define UNWIND_FP_LOST ((uintptr_t)1)

/* In the list of unwind_copy: frames are left out here. */
#define UNWIND_TRUNCATED 0

enum unwind_end {
    UNWIND_END_NONE,
    UNWIND_END_COMPLETE,   /* the outermost frame: by its CFI, or by fp 0 in code without */
    UNWIND_END_ZERO_PC,    /* a return address of 0: complete too, in threads of older libcs */
    UNWIND_END_BAD_SP,     /* the caller's sp would not be above this one's, or is not aligned */
    UNWIND_END_NO_RULE,    /* nothing is known of this pc and fp is no frame record, or it cannot be code */
    UNWIND_END_DEPTH,      /* UNWIND_DEPTH_MAX frames */
    UNWIND_END_UNREADABLE, /* a needed word is outside of the bounds */
};

struct unwind_frame {
    uintptr_t pc; /* with UNWIND_PC_* bits */
    uintptr_t sp; /* the stack pointer in this frame: for a caller, after its callee returned */
    uintptr_t fp;
    uintptr_t fp_slot; /* address that fp was loaded from; 0: it was still in the register */
};

/*
 * Which addresses are the thread's stack: [lo, hi), and a second range (0, 0 if none) for a thread that is on
 * its alternate stack; a walk goes over only through a signal frame. |shift| is added to every address that
 * is loaded: 0 for the thread's own memory, or where a copy of the stack is, minus lo. |root|: frames from
 * there to |hi| are those of libc that call main or the thread's start routine; musl, which has no unwind
 * tables, leaves no other trace of the outermost frame. 0: unknown.
 */
struct unwind_bounds {
    uintptr_t lo, hi, lo2, hi2;
    uintptr_t shift;
    uintptr_t root;
};

/*
 * A thread's last stack; 64 KiB that must start as zeros, from heap_map (touched as far as stacks are deep).
 * One walk at a time: whoever walks in a signal handler blocks the signals whose handlers walk.
 */
struct unwind_memo {
    uint32_t count;         /* frames in frames[0 .. count), the outermost first */
    uint32_t gap;           /* frames left out between frames[UNWIND_ROOT_FRAMES - 1] and the next one */
    uint32_t end;           /* enum unwind_end */
    uint32_t generation;    /* of the tables that it was made with */
    uint32_t reused;        /* frames of the last walk that were verified instead of walked */
    uintptr_t hi, lo2, hi2; /* bounds that it was made with */
    struct unwind_frame frames[2 * UNWIND_MEMO_FRAMES]; /* upper half: a walk's new frames, leaf at the top */
};

/*
 * Walks from |start| to the outermost frame, into |memo|, and returns the number of frames (the gap
 * included). |start_flags|: UNWIND_PC_EXACT if start.pc is the interrupted instruction, 0 if it is a return
 * address. |tables| NULL: frame pointers only. memo->end says why the walk ended. A memo must not be shared
 * between stacks in different address ranges of |bounds|; it notices and starts anew.
 */
unsigned unwind_walk(const struct unwind_tables *tables, struct regs start, uintptr_t start_flags,
                     const struct unwind_bounds *bounds, struct unwind_memo *memo);

/* Forgets the last stack: the next walk is a full one. */
void unwind_forget(struct unwind_memo *memo);

/*
 * The last walk's pcs to |out|, leaf first, each exact or a return address by its UNWIND_PC_EXACT bit. At
 * most |max_depth| words: of a deeper stack the leaf-most frames, once UNWIND_TRUNCATED, and the |keep_root|
 * outermost ones. |*cut|: frames left out. Returns the number of words.
 */
unsigned unwind_copy(const struct unwind_memo *memo, unsigned max_depth, unsigned keep_root, uint64_t *out,
                     unsigned *cut);

/* Frame |i| of the last walk, leaf first, i < memo->count; the gap is behind frame UNWIND_LEAF_FRAMES - 1. */
static inline const struct unwind_frame *unwind_frame_at(const struct unwind_memo *memo, unsigned i)
{
    return &memo->frames[memo->count - 1 - i];
}

#endif
