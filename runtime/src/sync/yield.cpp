// SPDX-License-Identifier: Apache-2.0
#include "sync/yield.h"

#include <sched.h>

#include <atomic>

#include "base/clock.h"

namespace teff::sync {

namespace {

// A time slice is longer, a round of teammates that meet at a barrier shorter. In ticks: half a millisecond at 2 GHz, less at more.
constexpr base::Ticks kLong = 1'000'000;
constexpr base::Ticks kPauseFactor = 100;

std::atomic<base::Ticks> not_before{0};

} // namespace

bool yielding_pays() { return base::ticks() >= not_before.load(std::memory_order_relaxed); }

bool try_yield() {
    if (!yielding_pays()) return false;
    const base::Ticks begin = base::ticks();
    sched_yield();
    const base::Ticks end = base::ticks();
    if (end - begin > kLong) not_before.store(end + kPauseFactor * (end - begin), std::memory_order_relaxed);
    return true;
}

} // namespace teff::sync
