// SPDX-License-Identifier: Apache-2.0
// The operations that depend on the processor architecture, for AArch64 and Linux. arch.h includes
// this file or the file of another architecture.
#pragma once

#include <asm/sigcontext.h>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <sys/syscall.h>
#include <ucontext.h>

// The first version of glibc for this architecture, which its oldest symbols have.
#define TEFF_FIRST_GLIBC "GLIBC_2.17"

namespace teff::base::arch {

// Kernels with pages of 16 or 64 KiB exist; docs/hacking.md says what has been tried.
inline constexpr std::size_t kPageBytes = 4096;

// A hint to the processor that this thread is spinning. YIELD does nothing on most processors; ISB
// waits for some tens of cycles.
inline void cpu_relax() { asm volatile("isb" ::: "memory"); }

// Reads the counter of the generic timer without serialisation.
inline std::uint64_t read_ticks() {
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

// As read_ticks, but waits until all loads that the thread has begun are done.
inline std::uint64_t read_ticks_behind_loads() {
    std::uint64_t ticks;
    asm volatile("dsb ld\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
}

// The recorder does not read the processor's event counters: that has not been tried.
inline constexpr bool kReadsEventCounters = false;
inline std::uint64_t read_event_counter(std::uint32_t) { return 0; }

// Makes a system call without the C library. Returns minus an errno value if the call fails. Does
// not change errno, and is not a cancellation point.
inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long which asm("x8") = number;
    register long first asm("x0") = a;
    register long second asm("x1") = b;
    register long third asm("x2") = c;
    register long fourth asm("x3") = d;
    register long fifth asm("x4") = e;
    register long sixth asm("x5") = f;
    asm volatile("svc #0"
                 : "+r"(first)
                 : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "memory", "cc");
    return first;
}

// No instruction of the program's reads the number of a processor.
inline void look_for_processor_instruction() {}

// Returns the number of the processor on which the calling thread runs at this moment. The kernel
// is asked, which takes some hundreds of nanoseconds.
inline unsigned read_processor() {
    unsigned processor = 0;
    (void)system_call(SYS_getcpu, reinterpret_cast<long>(&processor), 0, 0, 0, 0, 0);
    return processor;
}

// Where a call returns to, and the frame of the called function. A call leaves the return address
// in a register, and the called function stores it where it likes, or not at all. So both are kept.
class ReturnPlace {
  public:
    constexpr ReturnPlace() = default;

    static ReturnPlace of_call(const void* code, const void* frame) { return ReturnPlace(code, frame); }
    static ReturnPlace of_address(const void* address) { return ReturnPlace(address, nullptr); }

    const void* code() const { return code_; }
    void* frame() const { return const_cast<void*>(frame_); }
    const void* const* slot() const { return nullptr; } // no call is diverted

  private:
    constexpr ReturnPlace(const void* code, const void* frame) : code_(code), frame_(frame) {}

    const void* code_ = nullptr;
    const void* frame_ = nullptr;
};

// The registers of this point of the code, by which the caller is found.
struct FrameRegisters {
    std::uintptr_t code, stack, frame;
};
[[gnu::always_inline]] inline FrameRegisters frame_registers() {
    FrameRegisters here;
    asm volatile("adr %0, 0f\n0:\tmov %1, sp\n\tmov %2, x29" : "=&r"(here.code), "=&r"(here.stack), "=&r"(here.frame));
    return here;
}

// Reads 32 bits of the calling thread's own memory, at `offset` bytes from the thread pointer.
inline std::uint32_t read_of_thread(std::ptrdiff_t offset) {
    const char* thread;
    asm volatile("mrs %0, tpidr_el0" : "=r"(thread));
    return *reinterpret_cast<const volatile std::uint32_t*>(thread + offset);
}

// What lies at a thread's pointer: two words of the C library's, and behind them the thread-local
// variables. A thread that outlives the call that has started it has its own area, and has no
// thread-local variables. Compilers read the value that guards stack frames from a variable of the
// process.
struct ThreadArea {
    static constexpr std::size_t kWords = 16;
    alignas(64) std::uintptr_t words[kWords];
};
inline void make_thread_area(ThreadArea& area) { area = {}; }

// True if a thread may run without thread-local variables. False with a sanitizer, which keeps its
// own data in thread-local variables.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kCanLackThreadLocals = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool kCanLackThreadLocals = false;
#else
inline constexpr bool kCanLackThreadLocals = true;
#endif
#else
inline constexpr bool kCanLackThreadLocals = true;
#endif

// Calls clone(2) with `flags`. The new thread runs `function(argument)` on the stack that ends at
// `stack_end` (a multiple of 16), and then ends. The new thread uses the caller's thread-local
// variables, or, with CLONE_SETTLS, those at `area`. Returns the new thread's id, or minus an errno
// value. If the flags ask for it, the kernel also stores the id in `id`, and sets `id` to 0 when
// the thread ends.
inline long start_bare_thread(unsigned long flags, void* stack_end, std::uint32_t* id, void (*function)(void*),
                              void* argument, ThreadArea* area = nullptr) {
    register long which asm("x8") = SYS_clone;
    register unsigned long result asm("x0") = flags;
    register void* stack asm("x1") = stack_end;
    register std::uint32_t* stored asm("x2") = id;
    register ThreadArea* thread_area asm("x3") = area; // behind the third argument, unlike on x86-64
    register std::uint32_t* cleared asm("x4") = id;
    register void* to_pass asm("x19") = argument;
    register void (*to_call)(void*) asm("x20") = function;
    asm volatile("svc #0\n\t"
                 "cbnz x0, 1f\n\t"
                 "mov x29, xzr\n\t"
                 "mov x30, xzr\n\t"
                 "mov x0, x19\n\t"
                 "blr x20\n\t"
                 "mov x8, %[exit]\n\t"
                 "mov x0, xzr\n\t"
                 "svc #0\n\t"
                 "brk #0\n"
                 "1:"
                 : "+r"(result)
                 : "r"(which), "r"(stack), "r"(stored), "r"(thread_area), "r"(cleared), "r"(to_pass),
                   "r"(to_call), [exit] "i"(SYS_exit)
                 : "memory", "cc");
    return static_cast<long>(result);
}

// Return the instruction pointer and the stack pointer at which a signal has interrupted its
// thread. `context` is the third argument of the signal's handler.
inline const void* interrupted_instruction(const void* context) {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
}
inline const void* interrupted_stack(const void* context) {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
}
// Returns the value of the frame pointer, x29, at which a signal has interrupted its thread.
inline std::uintptr_t interrupted_frame(const void* context) {
    return static_cast<const ucontext_t*>(context)->uc_mcontext.regs[29];
}

// The least that the frame of a signal takes of a stack, where the kernel does not say how much.
inline constexpr std::size_t kSignalFrameBytes = 5 << 10;

// The floating-point control word of the interrupted code. A handler has the same one, unless the
// kernel or an emulator sets another.
struct FloatModes {
    std::uint64_t fpcr;
};
inline FloatModes interrupted_float_modes(const void* context) {
    const auto* record =
        reinterpret_cast<const _aarch64_ctx*>(static_cast<const ucontext_t*>(context)->uc_mcontext.__reserved);
    while (record->magic != 0 && record->magic != FPSIMD_MAGIC)
        record = reinterpret_cast<const _aarch64_ctx*>(reinterpret_cast<const char*>(record) + record->size);
    if (record->magic == 0) return {0};
    return {reinterpret_cast<const fpsimd_context*>(record)->fpcr};
}
inline void set_float_modes(const FloatModes& modes) { asm volatile("msr fpcr, %0" : : "r"(modes.fpcr)); }

// Returns true if a relocation of this type fills a slot with a function's address, which the code
// calls or uses as a value.
inline bool is_function_slot(std::uint32_t relocation) {
    return relocation == R_AARCH64_JUMP_SLOT || relocation == R_AARCH64_GLOB_DAT;
}
// Returns true if a relocation of this type fills a slot with the position of a thread-local
// variable.
inline bool is_thread_local_slot(std::uint32_t relocation) {
    return relocation == R_AARCH64_TLS_TPREL || relocation == R_AARCH64_TLS_DTPMOD || relocation == R_AARCH64_TLSDESC;
}

// Returns true if a call instruction ends at this address: BL or BLR.
inline bool follows_call(std::uintptr_t address) {
    const std::uint32_t code = *reinterpret_cast<const std::uint32_t*>(address - 4);
    return code >> 26 == 0x25 || (code & 0xffff'fc1f) == 0xd63f'0000;
}

// Returns true if the thread stands at or behind an instruction that makes a system call: a signal
// ends such a call, or interrupts it so that it begins again.
inline bool is_in_system_call(std::uintptr_t address) {
    const auto* const at = reinterpret_cast<const std::uint32_t*>(address);
    constexpr std::uint32_t kCall = 0xd400'0001; // svc #0
    return at[0] == kCall || at[-1] == kCall;
}

} // namespace teff::base::arch
