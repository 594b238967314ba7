/* The three registers a stack walk needs, for every architecture. */
#ifndef OTELPROF_SYS_REGS_H
#define OTELPROF_SYS_REGS_H

#include <stdint.h>
#include <ucontext.h>

struct regs {
    uintptr_t pc; /* the interrupted instruction, or a return address */
    uintptr_t sp; /* stack pointer */
    uintptr_t fp; /* frame pointer register, whatever it holds */
};

#if defined(__x86_64__)
#include "sys/regs_x86_64.h"
#else
#error "add regs_<arch>.h for this architecture"
#endif

#endif
