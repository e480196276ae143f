// SPDX-License-Identifier: Apache-2.0
//
// What the running grain has executed and accessed so far: the object that the compiler's hooks
// (hooks.cpp) count into.
//
// A Grain is a task, a chunk of a loop, or what a thread does outside of both. Each thread has a
// chain of the grains that it is in, the innermost first. A grain that runs while another grain
// waits lies on top of the waiting grain. The chain belongs to the thread. A signal handler of the
// program counts into the innermost grain, like the code that it interrupts. Grains come from the
// thread's own free list, which never gives memory back: a thread has as many grains as it has ever
// been in at once.
//
// SLOTS. The most recently accessed lines are kept in 32 slots. A hash of the line's number selects
// the slot. The number itself would not do, because the arrays that a loop uses together often lie
// a power of two apart. An access to a line in a slot only increments the slot's count, because it
// is known that the line is not on the stack, and that the footprint already contains the line. The
// counts of all slots belong to the grain. Each slot has a count of its own, so that an access need
// not wait until the increment of the previous access is complete. Because most tasks are small,
// the start and the end of a grain touch only the slots in use.
//
// FOOTPRINT. The number of distinct cache lines of 64 bytes outside of the stack. Up to 64 lines, a
// set gives the exact number. Beyond that, a HyperLogLog of 1024 registers estimates the number,
// with a standard error of 3.3 %; below about 2500 lines, where the estimate is made from the
// number of empty registers, the error is smaller. So a grain in progress takes 3.3 KiB, whatever
// it accesses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::instructions {

inline constexpr unsigned kLineShift = 6;
inline constexpr unsigned kSlotBits = 5, kSlots = 1u << kSlotBits;
inline constexpr unsigned kRegisterBits = 10, kRegisters = 1u << kRegisterBits;
inline constexpr std::uintptr_t kNoLine = ~std::uintptr_t{0};

struct alignas(32) Slot {
    std::uintptr_t line;
    std::uint64_t reads, writes;
};

inline unsigned slot_of(std::uintptr_t line) {
    return static_cast<std::uint32_t>(line) * 0x9e3779b1u >> (32 - kSlotBits);
}

class Footprint {
  public:
    void clear();
    void enter(std::uintptr_t line);
    std::uint64_t lines() const;

  private:
    static constexpr unsigned kExact = 64, kPlaces = 2 * kExact;

    void enter_hash(std::uint64_t hash);
    void estimate();

    // A place has the number of the line and, in the bits above, the life of the object in which
    // the line was entered. Places of older lives count as empty.
    std::uint64_t places_[kPlaces];
    std::uint64_t life_;
    unsigned exact_; // lines in places_; more than kExact: the registers count
    std::uint8_t registers_[kRegisters];
};

// The kind of a grain, with the values of the file's format.
enum class Kind : std::uint32_t {
    kOutside = 0, // a thread of which no OpenMP runtime has reported anything
    kInitial = 1,
    kImplicit = 2,
    kExplicit = 3,
    kChunk = 4,
};

struct Accesses {
    std::uint64_t reads, writes;
};

struct Grain {
    std::uint64_t instructions;
    Slot slots[kSlots];                      // accesses outside of the stack
    std::uint64_t reads, writes;             // ... that are in no slot
    std::uint64_t stack_reads, stack_writes; // between the stack pointer and stack_top
    std::uintptr_t stack_top;                // where the runtime has called the task; 0: not asked for yet
    std::uint64_t task;                      // as recordings have it; of a chunk, that of its implicit task
    Grain* below;
    Kind kind;
    std::uint32_t chunk;  // of a chunk: its number among those of the task, from 1
    std::uint32_t chunks; // of a task: how many it has begun
    std::uint32_t used;   // the slots that have a line: a bit each
    Footprint footprint;

    // Called once, before the first use.
    void initialise();
    void clear();
    // Gives the slot to the line. The slot's counts stay, because they belong to the grain. Each
    // store is one instruction, and so is each count, because a signal handler of the program may
    // count between any two.
    void give_slot(std::uintptr_t line);
    // Returns the number of all accesses outside of the stack.
    Accesses accesses() const;
};

inline void Grain::give_slot(std::uintptr_t line) {
    const unsigned slot = slot_of(line);
    slots[slot].line = line;
    used |= std::uint32_t{1} << slot;
}

// Takes the place of the grain of a thread that has no grain yet: no line is in its slots, and
// nothing is counted in it.
[[gnu::visibility("hidden")]] extern constinit Grain unstarted;

// The innermost grain of the thread.
[[gnu::visibility("hidden")]] extern constinit thread_local Grain* current;

// Begins the first grain of the thread, or a further one while the thread ends.
Grain* first_of_thread();

// Sets `grain.stack_top`, which is 0.
void find_stack(Grain& grain);

} // namespace teff::instructions
