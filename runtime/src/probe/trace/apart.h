// SPDX-License-Identifier: Apache-2.0
//
// Runs the recorder's work with files apart from the program, on a separate thread.
//
// A program relies on the numbers of file descriptors: the next file that it opens gets the lowest
// free number, and it may close or replace numbers that it does not know. So the recorder never has
// a descriptor in the program's descriptor table, not even for an instant. `run_apart` starts a
// thread and waits for it. This thread leaves the program's table for an empty table of its own,
// does the work, and ends. The thread and the caller share the memory, so what the work maps is
// mapped for the caller, too.
//
// Signals that the work raises (SIGXFSZ, SIGPIPE) are sent to this thread, which has them blocked;
// they are discarded when the thread ends. When the call returns, no thread and no descriptor is
// left. A child that another thread forks meanwhile gets neither of them.
//
// The thread uses the caller's thread-local variables and a small stack, and is unknown to the C
// library. So the work makes its system calls by `call` (calls.h), and calls nothing that could
// block, allocate memory or end the thread.
//
// ApartThread is for work that no thread waits for. Its thread does not use its starter's
// thread-local variables, as the starter may end first. A program that lists its threads may see
// this thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/arch/arch.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

// The stack of a thread that works apart. One call at a time may use it.
struct ApartStack {
    static constexpr std::size_t kBytes = 16 << 10;
    alignas(16) char bytes[kBytes];
};

// Runs `work(argument)` apart and waits for its end. Returns 0 if the work has been done. Otherwise
// returns an errno value: no thread could do the work, and none of it has been done.
[[nodiscard]] int run_apart(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument);

// Work apart that runs while its starter goes on.
//
//     idle ──start──> under way ──the thread's end──> over ──finish──> idle
//
// The starter's thread makes the first and the last transition. The kernel makes the transition to
// `over` by [apart-1]. An object that is all zero is idle; a forked child finds it so, and does not
// have the thread. In a build with a sanitizer, whose calls need thread-local variables, `start`
// waits until the work is over.
class ApartThread {
  public:
    // Starts the work. Returns 0 if the work is under way, otherwise an errno value. All that the
    // work uses must stay valid until the work is over.
    [[nodiscard]] int start(const Guest& guest, ApartStack& stack, void (*work)(void*), void* argument);
    // Returns true if no work is under way. May be called by any thread.
    bool is_over() const { return id_.load(std::memory_order_acquire) == 0; } // [apart-1]
    // Waits until the work is over. Returns true if the work has been done.
    [[nodiscard]] bool finish();

    struct Job {
        void (*work)(void*);
        void* argument;
        bool copies_table; // false: the thread leaves the program's table for an empty one
        enum class Outcome : std::uint8_t { kNothing, kNoTable, kDone } outcome;
    };

  private:
    std::atomic<std::uint32_t> id_{0}; // the kernel's id of the thread; 0 when the thread is over
    Job job_{};
    base::arch::ThreadArea area_{};
};

// Does the same for a function object.
template <class Work> int run_apart(const Guest& guest, ApartStack& stack, Work& work) {
    const auto call_it = [](void* argument) { (*static_cast<Work*>(argument))(); };
    return run_apart(guest, stack, call_it, &work);
}

} // namespace teff::probe::trace
