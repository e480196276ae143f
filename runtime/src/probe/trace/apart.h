// SPDX-License-Identifier: Apache-2.0
//
// Work apart from the program: what the recorder does with files.
//
// A program relies on the numbers of descriptors: the next file that it opens gets the lowest free
// one, and it may close or replace numbers that it does not know. So the recorder never has a
// descriptor in the program's table, not even for an instant. `run_apart` starts a thread for the
// time of the call, which gives up that table for an empty one of its own, works, and ends; the
// caller waits for it. They share the memory: what the work maps, the caller has.
//
// Signals that the work raises (SIGXFSZ, SIGPIPE) reach that thread, which has them blocked, and go
// with it. Nothing is left when the call returns: no thread, no descriptor. A child that another
// thread forks meanwhile gets neither.
//
// The thread has the caller's thread-local variables and a small stack, and the C library does not
// know it. So the work makes its system calls by `call` (calls.h), and calls nothing that could
// block, ask for memory or end the thread.
//
// For work that need not be done at once nobody waits (ApartThread). Such a thread has none of its
// starter's thread-local variables, as the starter may end first. A program that lists its threads
// may see it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/arch/x86_64.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

// One call at a time uses it.
struct ApartStack {
    static constexpr std::size_t kBytes = 16 << 10;
    alignas(16) char bytes[kBytes];
};

// 0: the work has been done. Else an errno value: none of it has been, for no thread could be
// started.
[[nodiscard]] int run_apart(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument);

// Work under way that nobody waits for.
//
//     idle ──start──> under way ──the thread's end──> over ──finish──> idle
//
// The starter's thread takes the first and the last edge, the kernel the one between, by [apart-1].
// All zero it is idle: so a forked child finds it, which has not got the thread. In a build with a
// sanitizer, whose calls need thread-local variables, `start` waits until it is over.
class ApartThread {
  public:
    // 0: under way. Else an errno value. What the work uses has to stay until it is over.
    [[nodiscard]] int start(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument);
    // Any thread: is none under way?
    bool is_over() const { return id_.load(std::memory_order_acquire) == 0; } // [apart-1]
    // Waits until it is over. True: the work has been done.
    [[nodiscard]] bool finish();

    struct Job {
        void (*work)(void*);
        void* argument;
        bool copies_table; // else it leaves the program's for an empty one
        enum class Outcome : std::uint8_t { kNothing, kNoTable, kDone } outcome;
    };

  private:
    std::atomic<std::uint32_t> id_{0}; // the kernel's, until it is over
    Job job_{};
    base::arch::ThreadArea area_{};
};

// The same for a function object.
template <class Work> int run_apart(const Guest& guest, ApartStack& stack, Work& work) {
    const auto call_it = [](void* argument) { (*static_cast<Work*>(argument))(); };
    return run_apart(guest, stack, call_it, &work);
}

} // namespace teff::probe::trace
