/* The signal trampoline, one per architecture, as debuggers and unwinders recognise it: by its bytes. */
#include "sys/sigaction.h"

#if defined(__x86_64__)
/* The nop keeps "pc - 1" inside; the two instructions are glibc's __restore_rt to the byte. */
__asm__(".text\n"
        ".type sigaction_restore, @function\n"
        ".hidden sigaction_restore\n"
        ".globl sigaction_restore\n"
        "nop\n"
        "sigaction_restore:\n"
        "mov $0xf, %rax\n"
        "syscall\n"
        ".size sigaction_restore, . - sigaction_restore\n");
#else
#error "add the trampoline of this architecture"
#endif
