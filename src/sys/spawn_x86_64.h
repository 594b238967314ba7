/* clone(2) into a function, x86-64. */
#ifndef OTELPROF_SYS_SPAWN_X86_64_H
#define OTELPROF_SYS_SPAWN_X86_64_H

#include <sched.h>
#include <stdint.h>

#include "sys/rawcall.h"

static inline long spawn_raw(void (*run)(void *), void *argument, void *stack_top, void *tls)
{
    uintptr_t *stack = (uintptr_t *)((uintptr_t)stack_top & ~(uintptr_t)15);
    *--stack = (uintptr_t)argument;
    *--stack = (uintptr_t)run;
    long result;
    register long parent_tid __asm__("r10") = 0;
    register void *thread_pointer __asm__("r8") = tls;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t" /* the new thread: its stack is as prepared above */
                     "pop %%rax\n\t"
                     "pop %%rdi\n\t"
                     "call *%%rax\n\t"
                     "mov %[exit], %%eax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "syscall\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(result)
                     : "a"((long)SYS_clone),
                       "D"((long)(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                  CLONE_SYSVSEM | CLONE_SETTLS)),
                       "S"(stack), "d"(0L), "r"(parent_tid), "r"(thread_pointer), [exit] "i"(SYS_exit)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
