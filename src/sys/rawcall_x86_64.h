/* Raw system calls for x86-64: the System V kernel ABI (arguments rdi rsi rdx r10 r8 r9, number and result in
 * rax). */
#ifndef OTELPROF_SYS_RAWCALL_X86_64_H
#define OTELPROF_SYS_RAWCALL_X86_64_H

static inline long sys_call6(long n, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
