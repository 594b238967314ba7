/* What the unwinder has to know of an architecture; one arch_<name>.h each. */
#ifndef OTELPROF_UNWIND_ARCH_H
#define OTELPROF_UNWIND_ARCH_H

#if defined(__x86_64__)
#include "unwind/arch_x86_64.h"
#else
#error "add unwind/arch_<arch>.h for this architecture"
#endif

#endif
