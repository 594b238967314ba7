#include "unwind/cfa.h"

#include <errno.h>

#include "unwind/arch.h"

/* DWARF 5 table 7.29; the GNU ones from binutils include/dwarf2.def. */
enum {
    OP_ADVANCE_LOC = 1, /* the three with an operand in their low six bits, as the high two */
    OP_OFFSET = 2,
    OP_RESTORE = 3,
    OP_NOP = 0x00,
    OP_SET_LOC = 0x01,
    OP_ADVANCE_LOC1 = 0x02,
    OP_ADVANCE_LOC2 = 0x03,
    OP_ADVANCE_LOC4 = 0x04,
    OP_OFFSET_EXTENDED = 0x05,
    OP_RESTORE_EXTENDED = 0x06,
    OP_UNDEFINED = 0x07,
    OP_SAME_VALUE = 0x08,
    OP_REGISTER = 0x09,
    OP_REMEMBER_STATE = 0x0a,
    OP_RESTORE_STATE = 0x0b,
    OP_DEF_CFA = 0x0c,
    OP_DEF_CFA_REGISTER = 0x0d,
    OP_DEF_CFA_OFFSET = 0x0e,
    OP_DEF_CFA_EXPRESSION = 0x0f,
    OP_EXPRESSION = 0x10,
    OP_OFFSET_EXTENDED_SF = 0x11,
    OP_DEF_CFA_SF = 0x12,
    OP_DEF_CFA_OFFSET_SF = 0x13,
    OP_VAL_OFFSET = 0x14,
    OP_VAL_OFFSET_SF = 0x15,
    OP_VAL_EXPRESSION = 0x16,
    OP_GNU_ARGS_SIZE = 0x2e,
    OP_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f
};

/* DWARF 5 table 7.9, as far as CFA expressions use it. */
enum { EXPR_DEREF = 0x06, EXPR_PLUS_UCONST = 0x23, EXPR_LIT0 = 0x30, EXPR_BREG0 = 0x70 };

enum { REMEMBER_DEPTH = 32 }; /* compilers nest once; deeper than this is damage */

struct machine {
    const struct ehframe_image *image;
    const struct ehframe_cie *cie;
    const struct cfa_state *initial; /* NULL while the CIE's own instructions run */
    struct cursor code;
    struct cfa_state state;
    struct cfi_rows *rows;
    uintptr_t base;
    uintptr_t at;
    uintptr_t limit;
    unsigned remembered;
    struct cfa_state stack[REMEMBER_DEPTH];
};

static int fits_i32(int64_t value)
{
    return value == (int32_t)value;
}

struct unwind_rule cfa_rule(const struct cfa_state *s, int signal_frame)
{
    static const struct unwind_rule untracked = {.cfa = UNWIND_CFA_UNTRACKED};
    static const struct unwind_rule signal = {.cfa = UNWIND_CFA_SIGNAL};
    static const struct unwind_rule end = {.cfa = UNWIND_CFA_END};
    if (signal_frame) {
        int kernel =
            s->form == CFA_DEREF && s->reg == ARCH_DWARF_SP && s->offset == ARCH_SIGNAL_SP && !s->addend;
        return kernel ? signal : untracked;
    }
    if (s->ra == CFA_RA_UNDEFINED) return end;
    int by_sp = s->reg == ARCH_DWARF_SP, by_fp = s->reg == ARCH_DWARF_FP;
    if (s->ra != CFA_RA_AT_CFA || s->form == CFA_OTHER || (!by_sp && !by_fp) || !fits_i32(s->offset) ||
        !fits_i32(s->addend))
        return untracked;
    struct unwind_rule rule = {.cfa_offset = (int32_t)s->offset, .fp = s->fp};
    if (s->form == CFA_REGISTER)
        rule.cfa = by_sp ? UNWIND_CFA_SP : UNWIND_CFA_FP;
    else if (s->form == CFA_DEREF)
        rule.cfa = by_sp ? UNWIND_CFA_DEREF_SP : UNWIND_CFA_DEREF_FP;
    else
        rule.cfa = UNWIND_CFA_PLT;
    if (s->form != CFA_REGISTER) rule.cfa_addend = (int32_t)s->addend;
    if (s->form == CFA_PLT) rule.cfa_offset = 0;
    if (s->fp == UNWIND_FP_AT_CFA || s->fp == UNWIND_FP_AT_FP) {
        if (fits_i32(s->fp_offset))
            rule.fp_offset = (int32_t)s->fp_offset;
        else
            rule.fp = UNWIND_FP_UNKNOWN;
    }
    return rule;
}

static void emit(struct machine *m)
{
    if (!m->initial || m->at >= m->limit) return;
    struct unwind_rule rule = cfa_rule(&m->state, m->cie->signal_frame);
    rows_add(m->rows, (uint32_t)(m->at - m->base), &rule);
}

/* The state so far holds up to the new location. False: it leads out of the function, nothing more to do. */
static int advance(struct machine *m, uint64_t delta)
{
    uint64_t bytes;
    if (!m->initial) return 1;
    emit(m);
    if (__builtin_mul_overflow(delta, m->cie->code_align, &bytes) || bytes >= m->limit - m->at) return 0;
    m->at += bytes;
    return 1;
}

static int set_location(struct machine *m)
{
    uintptr_t here = ehframe_address(m->image, m->code.at);
    uintptr_t to = cursor_pointer(&m->code, m->cie->encoding);
    if ((m->cie->encoding & PE_BASE) == PE_PCREL) to += here;
    if (!m->initial) return 1;
    emit(m);
    if (m->code.bad || to < m->at || to >= m->limit) return 0;
    m->at = to;
    return 1;
}

static void saved_at_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    if (reg == ARCH_DWARF_FP) {
        m->state.fp = UNWIND_FP_AT_CFA;
        m->state.fp_offset = offset;
    } else if (reg == ARCH_DWARF_RA) {
        m->state.ra = offset == ARCH_RA_OFFSET ? CFA_RA_AT_CFA : CFA_RA_OTHER;
    }
}

static void set_rule(struct machine *m, uint64_t reg, enum unwind_fp fp, enum cfa_ra ra)
{
    if (reg == ARCH_DWARF_FP)
        m->state.fp = fp;
    else if (reg == ARCH_DWARF_RA)
        m->state.ra = ra;
}

static void restore(struct machine *m, uint64_t reg)
{
    if (!m->initial) return;
    if (reg == ARCH_DWARF_FP) {
        m->state.fp = m->initial->fp;
        m->state.fp_offset = m->initial->fp_offset;
    } else if (reg == ARCH_DWARF_RA) {
        m->state.ra = m->initial->ra;
    }
}

/* A length-prefixed expression as a cursor of its own. */
static struct cursor take_block(struct cursor *c)
{
    uint64_t size = cursor_uleb(c);
    struct cursor block = {c->at, c->at, 0};
    cursor_skip(c, size);
    if (!c->bad) block.end = block.at + size;
    return block;
}

/*
 * ld's expression for lazy PLT entries: breg7 8; breg16 0; lit15; and; litN; ge; lit3; shl; plus. Returns N,
 * or -1 for another expression.
 */
static int plt_expression(const struct cursor *c)
{
    static const uint8_t head[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a}, tail[] = {0x2a, 0x33, 0x24, 0x22};
    if (cursor_left(c) != sizeof head + 1 + sizeof tail) return -1;
    if (memcmp(c->at, head, sizeof head) || memcmp(c->at + sizeof head + 1, tail, sizeof tail)) return -1;
    int n = c->at[sizeof head] - EXPR_LIT0;
    return n >= 0 && n < 16 ? n : -1;
}

/* breg N [deref] [plus_uconst M]: all other forms seen in the field. */
static void define_cfa_expression(struct cfa_state *s, struct cursor c)
{
    int pushed = plt_expression(&c);
    *s = (struct cfa_state){.form = CFA_OTHER, .fp = s->fp, .fp_offset = s->fp_offset, .ra = s->ra};
    if (pushed >= 0) {
        s->form = CFA_PLT;
        s->reg = ARCH_DWARF_SP;
        s->addend = pushed;
        return;
    }
    uint64_t reg = (uint64_t)cursor_u8(&c) - EXPR_BREG0;
    if (reg > 31) return;
    s->reg = reg;
    s->offset = cursor_sleb(&c);
    int loads = c.at < c.end && *c.at == EXPR_DEREF;
    if (loads) c.at++;
    if (c.at < c.end && *c.at == EXPR_PLUS_UCONST) {
        c.at++;
        s->addend = (int64_t)cursor_uleb(&c);
    }
    if (c.bad || c.at != c.end) return;
    s->form = loads ? CFA_DEREF : CFA_REGISTER;
    if (loads) return;
    if (__builtin_add_overflow(s->offset, s->addend, &s->offset)) s->form = CFA_OTHER;
    s->addend = 0;
}

/* Where a register is saved, as an expression: fp + n for a realigned stack; others are not followed. */
static void saved_at_expression(struct machine *m, uint64_t reg, struct cursor c)
{
    set_rule(m, reg, UNWIND_FP_UNKNOWN, CFA_RA_OTHER);
    if (reg != ARCH_DWARF_FP || cursor_u8(&c) != EXPR_BREG0 + ARCH_DWARF_FP) return;
    int64_t offset = cursor_sleb(&c);
    if (c.bad || c.at != c.end) return;
    m->state.fp = UNWIND_FP_AT_FP;
    m->state.fp_offset = offset;
}

static int64_t scaled(const struct machine *m, int64_t factor)
{
    int64_t product;
    return __builtin_mul_overflow(factor, m->cie->data_align, &product) ? INT64_MAX : product;
}

/* Half of a definition is only one on top of a register and an offset (DWARF 5 section 6.4.2.2). */
static void redefine_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    if (m->state.form != CFA_REGISTER) m->state.form = CFA_OTHER;
    m->state.reg = reg;
    m->state.offset = offset;
}

static void define_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    m->state.form = CFA_REGISTER;
    m->state.reg = reg;
    m->state.offset = offset;
    m->state.addend = 0;
}

/* The instructions about the CFA; false: not one of them. */
static int run_cfa_op(struct machine *m, uint8_t op)
{
    struct cursor *c = &m->code;
    uint64_t reg;
    switch (op) {
    case OP_DEF_CFA:
        reg = cursor_uleb(c);
        define_cfa(m, reg, (int64_t)cursor_uleb(c));
        return 1;
    case OP_DEF_CFA_SF:
        reg = cursor_uleb(c);
        define_cfa(m, reg, scaled(m, cursor_sleb(c)));
        return 1;
    case OP_DEF_CFA_REGISTER:
        redefine_cfa(m, cursor_uleb(c), m->state.offset);
        return 1;
    case OP_DEF_CFA_OFFSET:
        redefine_cfa(m, m->state.reg, (int64_t)cursor_uleb(c));
        return 1;
    case OP_DEF_CFA_OFFSET_SF:
        redefine_cfa(m, m->state.reg, scaled(m, cursor_sleb(c)));
        return 1;
    case OP_DEF_CFA_EXPRESSION:
        define_cfa_expression(&m->state, take_block(c));
        return 1;
    default:
        return 0;
    }
}

/* The instructions about where registers are; false: not one of them. */
static int run_register_op(struct machine *m, uint8_t op)
{
    struct cursor *c = &m->code;
    if (op < OP_OFFSET_EXTENDED) return 0;
    if (op == OP_GNU_ARGS_SIZE) return cursor_uleb(c), 1;
    int known = op <= OP_REGISTER || op == OP_EXPRESSION || op == OP_OFFSET_EXTENDED_SF ||
                (op >= OP_VAL_OFFSET && op <= OP_VAL_EXPRESSION) || op == OP_GNU_NEGATIVE_OFFSET_EXTENDED;
    if (!known) return 0;
    uint64_t reg = cursor_uleb(c);
    switch (op) {
    case OP_OFFSET_EXTENDED:
        saved_at_cfa(m, reg, scaled(m, (int64_t)cursor_uleb(c)));
        break;
    case OP_OFFSET_EXTENDED_SF:
        saved_at_cfa(m, reg, scaled(m, cursor_sleb(c)));
        break;
    case OP_GNU_NEGATIVE_OFFSET_EXTENDED:
        saved_at_cfa(m, reg, scaled(m, -(int64_t)cursor_uleb(c)));
        break;
    case OP_RESTORE_EXTENDED:
        restore(m, reg);
        break;
    case OP_UNDEFINED:
        set_rule(m, reg, UNWIND_FP_UNKNOWN, CFA_RA_UNDEFINED);
        break;
    case OP_SAME_VALUE:
        set_rule(m, reg, UNWIND_FP_SAME, CFA_RA_OTHER);
        break;
    case OP_EXPRESSION:
        saved_at_expression(m, reg, take_block(c));
        break;
    case OP_VAL_EXPRESSION:
        take_block(c);
        set_rule(m, reg, UNWIND_FP_UNKNOWN, CFA_RA_OTHER);
        break;
    default:            /* in another register, or computed */
        cursor_uleb(c); /* same bytes for the signed form */
        set_rule(m, reg, UNWIND_FP_UNKNOWN, CFA_RA_OTHER);
    }
    return 1;
}

/* One instruction: 1 go on, 0 the rest is outside of the function, -EINVAL not understood. */
static int run_op(struct machine *m)
{
    struct cursor *c = &m->code;
    uint8_t op = cursor_u8(c), low = op & 0x3f;
    switch (op >> 6) {
    case OP_ADVANCE_LOC:
        return advance(m, low);
    case OP_OFFSET:
        saved_at_cfa(m, low, scaled(m, (int64_t)cursor_uleb(c)));
        return 1;
    case OP_RESTORE:
        restore(m, low);
        return 1;
    default:
        break;
    }
    switch (op) {
    case OP_NOP:
        return 1;
    case OP_SET_LOC:
        return set_location(m);
    case OP_ADVANCE_LOC1:
        return advance(m, cursor_u8(c));
    case OP_ADVANCE_LOC2:
        return advance(m, cursor_fixed(c, 2));
    case OP_ADVANCE_LOC4:
        return advance(m, cursor_fixed(c, 4));
    case OP_REMEMBER_STATE:
        if (m->remembered == REMEMBER_DEPTH) return -EINVAL;
        m->stack[m->remembered++] = m->state;
        return 1;
    case OP_RESTORE_STATE:
        if (!m->remembered) return -EINVAL;
        m->state = m->stack[--m->remembered];
        return 1;
    default:
        return run_cfa_op(m, op) || run_register_op(m, op) ? 1 : -EINVAL;
    }
}

static void run_all(struct machine *m)
{
    int rc = 1;
    while (rc == 1 && m->code.at < m->code.end) {
        rc = run_op(m);
        if (m->code.bad) rc = -EINVAL;
    }
    if (rc < 0) m->state.form = CFA_OTHER;
    if (rc < 0) m->state.ra = CFA_RA_OTHER; /* before an undefined one is taken for the end of the stack */
    if (rc != 0) emit(m);
}

void cfa_initial(const struct ehframe_image *image, const struct ehframe_cie *cie, struct cfa_state *state)
{
    struct machine m;
    m.image = image;
    m.cie = cie;
    m.initial = NULL;
    m.code = cie->program;
    m.state = (struct cfa_state){.form = CFA_OTHER, .fp = UNWIND_FP_SAME, .ra = CFA_RA_OTHER};
    m.remembered = 0;
    run_all(&m);
    *state = m.state;
}

void cfa_run(const struct ehframe_image *image, const struct ehframe_cie *cie, const struct ehframe_fde *fde,
             const struct cfa_state *initial, uintptr_t base, uintptr_t limit, struct cfi_rows *rows)
{
    struct machine m; /* its stack of states is 1.5 KiB: not cleared for every function */
    m.image = image;
    m.cie = cie;
    m.initial = initial;
    m.code = fde->program;
    m.state = *initial;
    m.rows = rows;
    m.base = base;
    m.at = fde->start;
    m.limit = limit < fde->limit ? limit : fde->limit;
    m.remembered = 0;
    run_all(&m);
}
