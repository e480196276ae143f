// SPDX-License-Identifier: Apache-2.0
//
// Yielding: how a waiting thread hands its processor to another thread, if more threads take part
// in regions than there are processors.
//
// In such a process, the thread for which a waiter waits is often ready on the waiter's own
// processor. sched_yield hands over the processor at the cost of a context switch (about 1 us). A
// sleep and a wake-up cost several times as much, and tens of microseconds if a processor became
// idle between the two.
//
// But if an unrelated thread, of another process, computes on the processor, each yield gives that
// thread another time slice of some milliseconds. So after a yield that an unrelated thread made
// long, no thread of the process yields for a while: see YieldPause. A yield that a teammate made
// long does not count. To distinguish the two cases, each thread of the runtime records, for its
// processor, the time at which it yields: this time shows whether a thread of the process left the
// processor last.
//
// The functions may be called by any thread. All accesses are relaxed, because they affect timing
// only.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/cache_line.h"
#include "idle/limits.h"

namespace teff::idle {

// Decides when yields pay. The process has one YieldPause.
class YieldPause {
  public:
    static base::Ticks first_pause() { return in_ticks(kFirstPause_ns); }
    // Returns true if an absence is so long that an unrelated thread must have caused it. Requires
    // that no thread of the process gave way on the processor meanwhile.
    static bool is_long(base::Ticks absence) { return absence > in_ticks(kLongAbsence_ns); }

    bool is_over(base::Ticks now) const { return now >= until_.load(std::memory_order_relaxed); }

    // Called when a thread has its processor back. `given_way` is the time when a thread of this
    // process, perhaps the calling thread, gave way on that processor last.
    void note(base::Ticks given_way, base::Ticks now) {
        if (now <= given_way || !is_long(now - given_way)) return;
        const base::Ticks first = first_pause();
        const base::Ticks last = length_.load(std::memory_order_relaxed);
        const base::Ticks away = now - given_way;
        const bool still = now < until_.load(std::memory_order_relaxed) + last + 10 * away;
        const base::Ticks length = still ? std::clamp(2 * last, first, std::max(first, kPauseFactor * away)) : first;
        length_.store(length, std::memory_order_relaxed);
        until_.store(now + length, std::memory_order_relaxed);
    }

  private:
    std::atomic<base::Ticks> until_{0}, length_{0};
};

// Records the time. Called when the calling thread is about to sleep or to yield.
void note_giving_way();

// Returns false while unrelated threads are known to use the processors.
[[nodiscard]] bool yielding_pays();

// Yields if that pays at present. Otherwise returns false, and does nothing.
[[nodiscard]] bool try_yield();

// Called by a thread that spins, at each look at the clock. `before` is the time of its last look.
// If the thread was off its processor for long in between, the absence counts as a long yield does.
void note_absence(base::Ticks before, base::Ticks now);
inline void has_spun(base::Ticks before, base::Ticks now) {
    if (TEFF_UNLIKELY(YieldPause::is_long(now - before))) note_absence(before, now);
}

} // namespace teff::idle
