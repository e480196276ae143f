// SPDX-License-Identifier: Apache-2.0
// The operations that depend on the processor architecture, for x86-64 and Linux. arch.h includes
// this file or the file of another architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <sys/syscall.h>
#include <ucontext.h>

// The first version of glibc for this architecture, which its oldest symbols have.
#define TEFF_FIRST_GLIBC "GLIBC_2.2.5"

namespace teff::base::arch {

inline constexpr std::size_t kPageBytes = 4096;

// A hint to the processor that this thread is spinning.
inline void cpu_relax() { __builtin_ia32_pause(); }

// Reads the time-stamp counter without serialisation (CPUID would trap in a virtual machine and
// cost microseconds).
inline std::uint64_t read_ticks() { return __builtin_ia32_rdtsc(); }

// As read_ticks, but waits until all loads that the thread has begun are done. Without this wait,
// the time of a load from another core's cache that is still in progress would count as time after
// the reading.
inline std::uint64_t read_ticks_behind_loads() {
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}

// Whether a program may read the processor's event counters, if the kernel lets it.
inline constexpr bool kReadsEventCounters = true;

// Reads an event counter of the processor, by the number that the kernel tells.
inline std::uint64_t read_event_counter(std::uint32_t number) { return __builtin_ia32_rdpmc(static_cast<int>(number)); }

// True if read_processor may use the instruction RDPID, which takes some ticks instead of a
// hundred. If false, read_processor uses RDTSCP, which gives the same result.
inline bool has_processor_instruction = false;

// Sets has_processor_instruction. CPUID traps in a virtual machine, so call this function once, and
// only if read_processor will be called many times.
inline void look_for_processor_instruction() {
    unsigned highest = 0, a = 0, b = 0, c = 0, d = 0;
    __asm__ volatile("cpuid" : "=a"(highest), "=b"(b), "=c"(c), "=d"(d) : "0"(0u), "2"(0u));
    if (highest < 7) return;
    __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(7u), "2"(0u));
    has_processor_instruction = (c >> 22 & 1) != 0; // RDPID
}

// Returns the number of the processor on which the calling thread runs at this moment.
inline unsigned read_processor() {
    unsigned long processor;
    if (__builtin_expect(has_processor_instruction, true)) {
        __asm__ volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a"(processor)); // rdpid %rax: not every assembler has it
    } else {
        unsigned read;
        __builtin_ia32_rdtscp(&read);
        processor = read;
    }
    return static_cast<unsigned>(processor) & 0xfffu; // Linux keeps the node number in the bits above
}

// Where a call returns to, and the frame of the called function. One word says both: the address of
// the stack slot with the return address, which the call pushes just below the canonical frame
// address. The slot is loaded only when its content is asked for.
class ReturnPlace {
  public:
    constexpr ReturnPlace() = default;

    static ReturnPlace of_call(const void*, const void* frame) {
        return ReturnPlace(reinterpret_cast<std::uintptr_t>(frame) - sizeof(void*));
    }
    static ReturnPlace of_address(const void* const& address) {
        return ReturnPlace(reinterpret_cast<std::uintptr_t>(&address) | kNoFrame);
    }

    const void* code() const { return slot_ == 0 ? nullptr : *slot(); }
    void* frame() const {
        return slot_ == 0 || (slot_ & kNoFrame) != 0 ? nullptr : reinterpret_cast<void*>(slot_ + sizeof(void*));
    }
    const void* const* slot() const { return reinterpret_cast<const void* const*>(slot_ & ~kNoFrame); }

  private:
    static constexpr std::uintptr_t kNoFrame = 1;

    constexpr explicit ReturnPlace(std::uintptr_t slot) : slot_(slot) {}

    std::uintptr_t slot_ = 0;
};

// The registers of this point of the code, by which the caller is found.
struct FrameRegisters {
    std::uintptr_t code, stack, frame;
};
[[gnu::always_inline]] inline FrameRegisters frame_registers() {
    FrameRegisters here;
    asm volatile("leaq 0f(%%rip), %0\n0:\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                 : "=&r"(here.code), "=&r"(here.stack), "=&r"(here.frame));
    return here;
}

// Reads 32 bits of the calling thread's own memory, at `offset` bytes from the thread pointer.
inline std::uint32_t read_of_thread(std::ptrdiff_t offset) {
    std::uint32_t value;
    asm volatile("movl %%fs:(%1), %0" : "=r"(value) : "r"(offset));
    return value;
}

// Makes a system call without the C library. Returns minus an errno value if the call fails. Does
// not change errno, and is not a cancellation point.
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

// The words at a thread's pointer that compilers and the C library read without calling a function:
// the area's own address, and the value that guards stack frames. A thread that outlives the call
// that has started it has its own area, and has no thread-local variables.
struct ThreadArea {
    static constexpr std::size_t kWords = 16;
    alignas(64) std::uintptr_t words[kWords];
};
inline void make_thread_area(ThreadArea& area) {
    for (std::size_t i = 0; i < ThreadArea::kWords; ++i)
        asm volatile("mov %%fs:(%1), %0" : "=r"(area.words[i]) : "r"(i * sizeof(std::uintptr_t)));
    area.words[0] = area.words[2] = reinterpret_cast<std::uintptr_t>(&area);
}

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
    register std::uint32_t* cleared asm("r10") = id;
    register ThreadArea* thread_area asm("r8") = area;
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
                 : "0"(long{SYS_clone}), "D"(flags), "S"(stack_end), "d"(id), "r"(cleared), "r"(thread_area),
                   "r"(to_pass), "r"(to_call), [exit] "i"(SYS_exit)
                 : "rcx", "r11", "memory", "cc");
    return result;
}

// Return the instruction pointer and the stack pointer at which a signal has interrupted its
// thread. `context` is the third argument of the signal's handler.
inline const void* interrupted_instruction(const void* context) {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}
inline const void* interrupted_stack(const void* context) {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
}
// Returns the value of %rbp at which a signal has interrupted its thread.
inline std::uintptr_t interrupted_frame(const void* context) {
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RBP]);
}

// The least that the frame of a signal takes of a stack, where the kernel does not say how much.
inline constexpr std::size_t kSignalFrameBytes = 2 << 10;

// The floating-point control words of the interrupted code. The kernel sets other control words for
// a handler.
struct FloatModes {
    std::uint32_t mxcsr;
    std::uint16_t x87;
};
inline FloatModes interrupted_float_modes(const void* context) {
    const auto* const saved = static_cast<const ucontext_t*>(context)->uc_mcontext.fpregs;
    return saved != nullptr ? FloatModes{saved->mxcsr, saved->cwd} : FloatModes{0x1f80, 0x037f};
}
// Returns the floating-point control words from an area that the instruction XSAVE has written.
inline FloatModes saved_float_modes(const void* area) {
    FloatModes modes;
    __builtin_memcpy(&modes.x87, area, sizeof modes.x87);
    __builtin_memcpy(&modes.mxcsr, static_cast<const char*>(area) + 24, sizeof modes.mxcsr);
    return modes;
}
inline void set_float_modes(const FloatModes& modes) {
    asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(modes.mxcsr), "m"(modes.x87));
}

// Returns true if a relocation of this type fills a slot with a function's address, which the code
// calls or uses as a value.
inline bool is_function_slot(std::uint32_t relocation) {
    return relocation == R_X86_64_JUMP_SLOT || relocation == R_X86_64_GLOB_DAT;
}
// Returns true if a relocation of this type fills a slot with the position of a thread-local
// variable.
inline bool is_thread_local_slot(std::uint32_t relocation) {
    return relocation == R_X86_64_TPOFF64 || relocation == R_X86_64_DTPMOD64 || relocation == R_X86_64_TLSDESC;
}

// Returns true if a call instruction ends at this address. All bytes before it are code.
inline bool follows_call(std::uintptr_t address) {
    const auto* const end = reinterpret_cast<const std::uint8_t*>(address);
    if (end[-5] == 0xe8) return true;
    for (int bytes = 2; bytes <= 7; ++bytes)
        if (end[-bytes] == 0xff && (end[1 - bytes] >> 3 & 7) == 2) return true;
    return false;
}

// Returns true if the thread stands at or behind an instruction that makes a system call: a signal
// ends such a call, or interrupts it so that it begins again.
inline bool is_in_system_call(std::uintptr_t address) {
    const auto* const at = reinterpret_cast<const std::uint8_t*>(address);
    const auto is_call = [](const std::uint8_t* code) { return code[0] == 0x0f && code[1] == 0x05; };
    return is_call(at) || is_call(at - 2);
}

} // namespace teff::base::arch
