// SPDX-License-Identifier: Apache-2.0
//
// Yielding: how a thread that waits in a crowded process passes its processor on.
//
// Where more threads take part in regions than there are processors, whoever a waiter waits for is
// often ready on the waiter's own processor. sched_yield hands over to it for the price of a
// context switch (about 1 us); to sleep and be woken costs several times that, and where a
// processor went idle meanwhile, tens of microseconds.
//
// But an unrelated thread, of another process, that computes there keeps the processor for a time
// slice, some milliseconds, and a yield gives it one more each time. So nobody in the process
// yields for a while after a yield that an unrelated thread made long: see YieldPause. That a
// teammate made it long does not count. The two are told apart by who left the processor last: each
// thread of the runtime notes the time when it gives way, for each processor.
//
// Any thread. All accesses are relaxed, since nothing but time depends on them.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/cache_line.h"
#include "idle/limits.h"

namespace teff::idle {

// When yields pay. One for the process.
class YieldPause {
  public:
    static base::Ticks first_pause() { return in_ticks(kFirstPause_ns); }
    // Longer than that, and nobody of the process has given way meanwhile: it was an unrelated
    // thread.
    static bool is_long(base::Ticks absence) { return absence > in_ticks(kLongAbsence_ns); }

    bool is_over(base::Ticks now) const { return now >= until_.load(std::memory_order_relaxed); }

    // A thread has its processor back. `given_way`: when a thread of this process gave way on it
    // last, be it this one.
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

// The calling thread is about to sleep or to yield.
void note_giving_way();

// False while unrelated threads are known to be about.
[[nodiscard]] bool yielding_pays();

// Lets another thread run, if that pays just now. False: it does not, and nothing was done.
[[nodiscard]] bool try_yield();

// A thread that spins has looked at the clock at `before`, and now again. If it was off its
// processor for long in between, that counts as a long yield does.
void note_absence(base::Ticks before, base::Ticks now);
inline void has_spun(base::Ticks before, base::Ticks now) {
    if (TEFF_UNLIKELY(YieldPause::is_long(now - before))) note_absence(before, now);
}

} // namespace teff::idle
