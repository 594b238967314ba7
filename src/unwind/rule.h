/*
 * How to get from one frame to its caller: the CFA (the stack pointer at the call, DWARF 5 section 6.4) and
 * the caller's frame pointer. The return address is at CFA + ARCH_RA_OFFSET.
 *
 * All modules share one append-only array of distinct rules (node: 277k rows, 110 rules), so a rule number
 * means the same in every table and in the PC cache.
 */
#ifndef OTELPROF_UNWIND_RULE_H
#define OTELPROF_UNWIND_RULE_H

#include <stdint.h>

enum unwind_cfa {
    UNWIND_CFA_INVALID,   /* nothing is known of this pc: code without CFI, a gap, JIT code */
    UNWIND_CFA_SP,        /* sp + cfa_offset */
    UNWIND_CFA_FP,        /* fp + cfa_offset */
    UNWIND_CFA_DEREF_SP,  /* *(sp + cfa_offset) + cfa_addend */
    UNWIND_CFA_DEREF_FP,  /* *(fp + cfa_offset) + cfa_addend */
    UNWIND_CFA_PLT,       /* arch_plt_cfa(pc, sp, cfa_addend) */
    UNWIND_CFA_SIGNAL,    /* the kernel's signal frame is at sp */
    UNWIND_CFA_END,       /* the outermost frame: its return address is undefined */
    UNWIND_CFA_NO_TABLES, /* as INVALID, in a module that has no CFI at all (musl's libc) */
    UNWIND_CFA_UNTRACKED, /* known, but through a register that a walk does not carry: the stack is cut here
                           */
};

enum unwind_fp {
    UNWIND_FP_SAME,    /* the caller's fp is still in the register */
    UNWIND_FP_AT_CFA,  /* at CFA + fp_offset */
    UNWIND_FP_AT_FP,   /* at fp + fp_offset */
    UNWIND_FP_UNKNOWN, /* overwritten, or saved where we do not look */
};

struct unwind_rule {
    int32_t cfa_offset;
    int32_t cfa_addend;
    int32_t fp_offset;
    uint8_t cfa; /* enum unwind_cfa */
    uint8_t fp;  /* enum unwind_fp */
    uint16_t zero;
};

/* Most distinct rules of a process: a number and one value for "none" fit 16 bits. */
enum { UNWIND_RULES_MAX = 65535, UNWIND_RULE_INVALID = 0 };

/*
 * The number of |rule|, which is added if it is new. Every unused field must be zero. Background thread.
 * UNWIND_RULE_INVALID when the array is full or there is no memory: such rows lose their stacks, nothing
 * else.
 */
uint16_t rule_intern(const struct unwind_rule *rule);

/* The array, at one address for the life of the process; NULL before the first rule_intern or without
 * memory. A number got from rule_intern may be looked up by any thread it was published to. */
const struct unwind_rule *rule_array(void);

/* Distinct rules so far. */
unsigned rule_count(void);

#endif
