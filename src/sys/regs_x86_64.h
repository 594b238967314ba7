/* What a walk starts from, taken out of the kernel's signal frame (x86-64 ucontext). Async-signal-safe. */
#ifndef OTELPROF_SYS_REGS_X86_64_H
#define OTELPROF_SYS_REGS_X86_64_H

static inline struct regs regs_from_ucontext(const ucontext_t *context)
{
    const greg_t *g = context->uc_mcontext.gregs;
    return (struct regs){(uintptr_t)g[REG_RIP], (uintptr_t)g[REG_RSP], (uintptr_t)g[REG_RBP]};
}

#endif
