// SPDX-License-Identifier: Apache-2.0
//
// The layouts that LLVM's compilers fix: those of Clang and Flang, and of Intel's compilers, which
// call the functions __kmpc_*. (GCC's layouts are in gomp_*.h.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::abi::kmpc {

// A place in the source, and what is there (ident_t).
struct Ident {
    std::int32_t reserved_1, flags, reserved_2, text_bytes;
    const char* text; // ";file;function;line;column;;"

    static constexpr std::int32_t kImplicitBarrier = 0x40; // the barrier at the end of a construct
    // The construct of a call of for_static_init: sections, distribute, or a loop.
    static constexpr std::int32_t kSections = 0x400, kDistribute = 0x800;
};
static_assert(sizeof(Ident) == 24);

// The code of a region. The arguments follow the two numbers.
using Microtask = void (*)(std::int32_t* thread, std::int32_t* member, ...);

struct Task;
using TaskEntry = std::int32_t (*)(std::int32_t thread, Task* task);

// What the compiler's code sees of a task (kmp_task_t). The task's private variables follow, at
// their own alignment, and then the block of pointers to shared variables, where `shareds` points.
struct Task {
    void* shareds;
    TaskEntry entry;
    std::int32_t part; // untied tasks: where the entry goes on
    // Compilers leave these bytes alone. The distance from the task to its TaskNotes, in units of 8
    // bytes.
    std::uint32_t notes_at;
    union {
        TaskEntry destroy; // if kDestructors
        void* word;
    } data_1;
    union {
        std::int32_t priority; // if kPriority
        void* word;
    } data_2;
};
static_assert(sizeof(Task) == 40 && offsetof(Task, part) == 16 && offsetof(Task, data_1) == 24);

// Flags of a task, as the compiler passes them.
enum TaskFlag : std::uint32_t {
    kTied = 1,
    kFinal = 2,
    kMergedIf0 = 4,
    kDestructors = 8,
    kPriority = 32,
    kDetachable = 64,
};

// An item of a depend clause (kmp_depend_info).
struct DependInfo {
    void* address;
    std::size_t bytes;
    std::uint8_t kind; // kIn and so on
};
static_assert(sizeof(DependInfo) == 24);

enum DependBits : std::uint8_t {
    kIn = 1,
    kOut = 2,
    kInout = 3,
    kMutexinoutset = 4,
    kInoutset = 8,
    kAllMemory = 0x80,
};
inline void* const kAllAddresses = reinterpret_cast<void*>(~std::uintptr_t{0}); // also stands for all memory

// The variable of a named critical region (kmp_critical_name); zero at first.
struct CriticalName {
    std::int32_t words[8];
};

// Schedules. Two bits may be added: kMonotonic and kNonmonotonic.
enum Schedule : std::int32_t {
    kStaticChunked = 33,
    kStatic = 34,
    kDynamic = 35,
    kGuided = 36,
    kRuntime = 37,
    kAuto = 38,
    // With the modifier simd; the chunk is the number of elements of a vector.
    kStaticBalancedChunked = 45,
    kGuidedSimd = 46,
    kRuntimeSimd = 47,
    kOrderedFirst = 65, // static chunked; the others follow in the same order
    kOrderedStatic = 66,
    kOrderedLast = 70,
    kDistributeChunked = 91,
    kDistribute = 92,
    kMonotonic = 1 << 29,
    kNonmonotonic = 1 << 30,
};

} // namespace teff::abi::kmpc
