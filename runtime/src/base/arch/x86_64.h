// SPDX-License-Identifier: Apache-2.0
// What the runtime asks of an x86-64 processor, and of Linux on it. Another architecture is another
// file with the same functions and the same constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <sys/syscall.h>
#include <ucontext.h>

namespace teff::base::arch {

inline constexpr std::size_t kPageBytes = 4096;

// A hint to the processor that this thread is spinning.
inline void cpu_relax() { __builtin_ia32_pause(); }

// The time-stamp counter, read without serialisation (CPUID would trap in a virtual machine and
// cost microseconds).
inline std::uint64_t read_ticks() { return __builtin_ia32_rdtsc(); }

// The processor on which this thread runs just now.
inline unsigned read_processor() {
    unsigned processor;
    __builtin_ia32_rdtscp(&processor);
    return processor & 0xfffu; // Linux keeps the node number in the bits above
}

// A system call without the C library: it returns minus an errno value where it fails, leaves errno
// alone, and is no cancellation point.
inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long fourth asm("r10") = d;
    register long fifth asm("r8") = e;
    register long sixth asm("r9") = f;
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}

// clone(2) with `flags`: a new thread runs `function(argument)` on the stack that ends at
// `stack_end` (a multiple of 16), and ends. It has the caller's thread-local variables. Returns its
// id, which the kernel stores into `id` too, and overwrites with 0 at its end, if the flags ask for
// that; or minus an errno value.
inline long start_bare_thread(unsigned long flags, void* stack_end, std::uint32_t* id, void (*function)(void*),
                              void* argument) {
    register std::uint32_t* cleared asm("r10") = id;
    register long no_thread_area asm("r8") = 0;
    register void* to_pass asm("r12") = argument;
    register void (*to_call)(void*) asm("r13") = function;
    long result;
    asm volatile("syscall\n\t"
                 "test %%rax, %%rax\n\t"
                 "jnz 1f\n\t"
                 "xor %%ebp, %%ebp\n\t"
                 "mov %%r12, %%rdi\n\t"
                 "call *%%r13\n\t"
                 "mov %[exit], %%eax\n\t"
                 "xor %%edi, %%edi\n\t"
                 "syscall\n\t"
                 "hlt\n"
                 "1:"
                 : "=a"(result)
                 : "0"(long{SYS_clone}), "D"(flags), "S"(stack_end), "d"(id), "r"(cleared), "r"(no_thread_area),
                   "r"(to_pass), "r"(to_call), [exit] "i"(SYS_exit)
                 : "rcx", "r11", "memory", "cc");
    return result;
}

// Where a signal came, by what its handler gets of the interrupted registers.
inline const void* interrupted_instruction(const void* context) {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}
inline const void* interrupted_stack(const void* context) {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
}

// The control words for floating point of the interrupted code; the kernel gives a handler others.
struct FloatModes {
    std::uint32_t mxcsr;
    std::uint16_t x87;
};
inline FloatModes interrupted_float_modes(const void* context) {
    const auto* const saved = static_cast<const ucontext_t*>(context)->uc_mcontext.fpregs;
    return saved != nullptr ? FloatModes{saved->mxcsr, saved->cwd} : FloatModes{0x1f80, 0x037f};
}
// The same, of what the XSAVE instruction has saved.
inline FloatModes saved_float_modes(const void* area) {
    FloatModes modes;
    __builtin_memcpy(&modes.x87, area, sizeof modes.x87);
    __builtin_memcpy(&modes.mxcsr, static_cast<const char*>(area) + 24, sizeof modes.mxcsr);
    return modes;
}
inline void set_float_modes(const FloatModes& modes) {
    asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(modes.mxcsr), "m"(modes.x87));
}

// Whether a relocation of this type stands for a slot that holds a function's address, for calls or
// for its value.
inline bool is_function_slot(std::uint32_t relocation) {
    return relocation == R_X86_64_JUMP_SLOT || relocation == R_X86_64_GLOB_DAT;
}
// Or for where a thread-local variable is.
inline bool is_thread_local_slot(std::uint32_t relocation) {
    return relocation == R_X86_64_TPOFF64 || relocation == R_X86_64_DTPMOD64 || relocation == R_X86_64_TLSDESC;
}

} // namespace teff::base::arch
