/*
 * x86-64 for the unwinder. Sources: System V psABI for AMD64, 3.2.2 (red zone), 3.4.1 (rbp is 0 in the
 * outermost frame), figure 3.36 (DWARF register numbers); linux/arch/x86/include/uapi/asm/ucontext.h and
 * sigcontext.h (signal frame); binutils bfd/elfxx-x86.c, elf_x86_64_eh_frame_lazy_plt (PLT expression).
 */
#ifndef OTELPROF_UNWIND_ARCH_X86_64_H
#define OTELPROF_UNWIND_ARCH_X86_64_H

#include <stdint.h>

/* DWARF register numbers. */
enum { ARCH_DWARF_FP = 6, ARCH_DWARF_SP = 7, ARCH_DWARF_RA = 16 };

enum {
    ARCH_WORD = 8,
    ARCH_RA_OFFSET = -8,    /* the return address is at CFA - 8: call pushes it, no prologue moves it */
    ARCH_RED_ZONE = 128,    /* bytes below sp that a signal leaves alone */
    ARCH_FRAME_RECORD = 16, /* push rbp; mov rbp, rsp: the CFA is rbp + 16, the caller's rbp at rbp */
    ARCH_PC_MIN = 4096,     /* vm.mmap_min_addr is at least a page */
    ARCH_PC_BITS = 47       /* user addresses are below 1 << 47; above: not code */
};

/*
 * Where the kernel's signal frame keeps the interrupted registers, from the sp that the restorer
 * (__restore_rt) sees, which is the address of the ucontext: 40 bytes of uc_flags, uc_link and uc_stack, then
 * the sigcontext r8..r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
 */
enum { ARCH_SIGNAL_FP = 120, ARCH_SIGNAL_SP = 160, ARCH_SIGNAL_PC = 168, ARCH_SIGNAL_BYTES = 176 };

/* mov $15, %rax; syscall (rt_sigreturn): the whole of the restorer in glibc, musl and Go. */
#define ARCH_RESTORER_CODE "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"
enum { ARCH_RESTORER_BYTES = 9 };

/*
 * The CFA of a lazy PLT entry as ld describes it: sp + 8, and 8 more once the entry has pushed its relocation
 * number, which is at byte |pushed| of the 16 (11, or another with -z ibtplt/bndplt).
 */
static inline uintptr_t arch_plt_cfa(uintptr_t pc, uintptr_t sp, unsigned pushed)
{
    return sp + 8 + ((pc & 15) >= pushed ? 8 : 0);
}

#endif
