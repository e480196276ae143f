// SPDX-License-Identifier: Apache-2.0
//
// The hold word: how many reasons a thread has at this moment not to leave what it runs.
//
// Code holds while it is in the middle of something that the next task on this thread could
// disturb: while the program holds a lock (the locks' functions are interposed, interpose.h), and
// while the C library calls the program back in the middle of its own work. The runtime's own code
// needs no hold, as code outside of the preemptible ranges (code_ranges.h) is never interrupted; it
// holds across its return to the program, as in GOMP_critical_start.
//
//     held ──release to 0──> free ──hold──> held
//                             └─ if a request is owed: the switch is made here and now (`serve`)
//
// Who may touch what: only a thread and its own signal handlers, so loads and stores are relaxed
// and no step is atomic against another thread. A handler that comes between two of them changes
// only `owed`, which a release reads last. The word belongs to the task: a switch of contexts swaps
// it (`exchange_held`).
//
// Costs: while preemption is off, one load of a global that nobody writes; no thread-local access.
// Blocks nothing. Signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::preempt {

struct Target;

namespace detail {

// Of one thread. The kernel module reads `held` too.
struct Own {
    std::atomic<std::uint32_t> held{0};
    std::atomic<bool> owed{false}; // a request came when it could not be served
    std::atomic<Target*> target{nullptr};
};
extern constinit thread_local Own own;

extern constinit std::atomic<bool> on;

// Serves what is owed, if `caller` is preemptible code; else leaves it to the retry timer.
TEFF_COLD void serve(const void* caller);

inline void hold() { own.held.store(own.held.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

inline void release(const void* caller) {
    const std::uint32_t held = own.held.load(std::memory_order_relaxed);
    if (TEFF_UNLIKELY(held == 0)) return; // taken before preemption was on, or by code that is not seen
    own.held.store(held - 1, std::memory_order_relaxed);
    const bool may_serve = held == 1 && caller != nullptr;
    if (TEFF_UNLIKELY(own.owed.load(std::memory_order_relaxed)) && may_serve) serve(caller);
}

} // namespace detail

// Whether threads are preempted in this process. It becomes true once, when the library is loaded
// or never, and false in a forked child. Relaxed: who reads it late holds once too often or too
// seldom around nothing.
inline bool is_on() { return detail::on.load(std::memory_order_relaxed); }

inline void hold() {
    if (TEFF_UNLIKELY(is_on())) detail::hold();
}

// Whether the calling thread holds anything.
inline bool holds() { return is_on() && detail::own.held.load(std::memory_order_relaxed) != 0; }

// `caller`: where the program goes on after this, its return address. If that is preemptible code,
// nothing holds any more and a request is owed, another task may run before this returns. Null:
// what is owed is left to the retry timer.
inline void release(const void* caller) {
    if (TEFF_UNLIKELY(is_on())) detail::release(caller);
}

// For a call of the runtime that holds nothing and comes to its end: serves what is owed.
inline void look(const void* caller) {
    if (TEFF_UNLIKELY(is_on()) && TEFF_UNLIKELY(detail::own.owed.load(std::memory_order_relaxed)))
        detail::serve(caller);
}

// For who switches between tasks: the count goes with the task. 0 for one that starts.
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
    // Leaves what is owed to the call's end (`look`), or to the retry timer.
    ~Hold() { release(nullptr); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
};

} // namespace teff::preempt
