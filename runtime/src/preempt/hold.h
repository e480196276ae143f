// SPDX-License-Identifier: Apache-2.0
//
// The hold word: how many reasons a thread has at this moment not to leave what it runs.
//
// Code is said to hold while it has incremented the hold word. A thread holds while it is in the
// middle of something that the next task on this thread could disturb: while the program has a lock
// (the locks' functions are interposed, interpose.h), and while the C library calls the program
// back in the middle of the library's own work. The runtime's own code needs no hold, because code
// outside of the preemptible ranges (code_ranges.h) is never interrupted. The runtime holds only
// across its return to the program, as in GOMP_critical_start.
//
//     held ──release to 0──> free ──hold──> held
//                             └─ if a request is owed: the switch is made here and now (`serve`)
//
// Who may touch what: only a thread and its own signal handlers. So loads and stores are relaxed,
// and no step has to be atomic with respect to another thread. A handler that runs between two
// steps changes only `owed`, which a release reads last. The hold word belongs to the task: a
// switch of contexts swaps it (`exchange_held`).
//
// While preemption is off, a call costs one load of a global variable that no thread writes, and no
// access to thread-local memory. The functions do not block and are signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::preempt {

struct Target;

namespace detail {

// The state of one thread. The kernel module also reads `held`.
struct Own {
    std::atomic<std::uint32_t> held{0};
    std::atomic<bool> owed{false}; // a request came when it could not be served
    std::atomic<bool> registered{false};
    std::atomic<Target*> target{nullptr}; // kept when the thread is no longer registered: its calls may be diverted
};
extern constinit thread_local Own own;

// Returns the calling thread's target, or null if the thread is not registered.
inline Target* own_target() {
    return own.registered.load(std::memory_order_relaxed) ? own.target.load(std::memory_order_relaxed) : nullptr;
}

extern constinit std::atomic<bool> on;
extern constinit std::atomic<bool> in_program;
extern constinit std::atomic<bool> by_function;
extern constinit std::atomic<bool> active; // the program has not switched it off: preempt::set_active

// Serves the owed request if `caller` is preemptible code. Otherwise leaves it to the retry timer.
TEFF_COLD void serve(const void* caller);

inline void hold() { own.held.store(own.held.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

inline void release(const void* caller) {
    const std::uint32_t held = own.held.load(std::memory_order_relaxed);
    if (TEFF_UNLIKELY(held == 0)) return; // not counted: taken before preemption was on, or by unseen code
    own.held.store(held - 1, std::memory_order_relaxed);
    const bool may_serve = held == 1 && caller != nullptr;
    if (TEFF_UNLIKELY(own.owed.load(std::memory_order_relaxed)) && may_serve) serve(caller);
}

} // namespace detail

// Returns true if threads are preempted in this process. Becomes true when the library is loaded,
// or never, and false again in a forked child. The load is relaxed: a thread that sees the change
// late only makes one hold too many or too few, at a time when no hold is needed.
inline bool is_on() { return detail::on.load(std::memory_order_relaxed); }

// Returns true if any task is preempted in the program's own code. Becomes true before the program
// uses OpenMP, or never, and stays true in a forked child.
inline bool leaves_program() { return detail::in_program.load(std::memory_order_relaxed); }

// Returns true if the program has thread-local variables, and tasks are preempted only in those of
// its functions that reach none of these (task_code.h). Set as leaves_program, which is false then.
inline bool leaves_by_function() { return detail::by_function.load(std::memory_order_relaxed); }

inline void hold() {
    if (TEFF_UNLIKELY(is_on())) detail::hold();
}

// Returns true if the calling thread holds anything.
inline bool holds() { return is_on() && detail::own.held.load(std::memory_order_relaxed) != 0; }

// Undoes one hold. `caller` is the return address at which the program continues after the
// runtime's function. If `caller` is in preemptible code, no hold is left and a request is owed,
// another task may run before this function returns. If `caller` is null, an owed request is left
// to the retry timer.
inline void release(const void* caller) {
    if (TEFF_UNLIKELY(is_on())) detail::release(caller);
}

// Serves an owed request. Called at the end of a runtime call that has no hold.
inline void look(const void* caller) {
    if (TEFF_UNLIKELY(is_on()) && TEFF_UNLIKELY(detail::own.owed.load(std::memory_order_relaxed)))
        detail::serve(caller);
}

// Called by code that switches between tasks: the count goes with the task. Sets the count to
// `held`, which is 0 for a task that starts. Returns the previous count.
inline std::uint32_t exchange_held(std::uint32_t held) {
    if (TEFF_LIKELY(!is_on())) return 0;
    const std::uint32_t before = detail::own.held.load(std::memory_order_relaxed);
    detail::own.held.store(held, std::memory_order_relaxed);
    return before;
}

// Holds while the runtime calls the program back in the middle of something.
class Hold {
  public:
    Hold() { hold(); }
    // Leaves an owed request to the end of the runtime call (`look`) or to the retry timer.
    ~Hold() { release(nullptr); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
};

} // namespace teff::preempt
