// SPDX-License-Identifier: Apache-2.0
#include "idle/yield.h"

#include <sched.h>

#include "base/cache_line.h"
#include "base/system_call.h"

namespace teff::idle {

namespace {

YieldPause pause;

// The time when a thread of this process last gave way on a processor. If two processors share an
// entry, the only harm is that unrelated threads may go unnoticed.
struct alignas(base::kCacheLine) GivenWay {
    std::atomic<base::Ticks> when{0};
};
constexpr unsigned kEntries = 64;
constinit GivenWay given_way[kEntries];

std::atomic<base::Ticks>& given_way_here() { return given_way[static_cast<unsigned>(sched_getcpu()) % kEntries].when; }

} // namespace

void note_giving_way() { given_way_here().store(base::ticks(), std::memory_order_relaxed); }

bool yielding_pays() { return pause.is_over(base::ticks()); }

bool try_yield() {
    if (!yielding_pays()) return false;
    const base::Ticks began = base::ticks();
    given_way_here().store(began, std::memory_order_relaxed);
    base::call(SYS_sched_yield); // errno stays unchanged, even if a filter rejects the call
    note_absence(began, base::ticks());
    return true;
}

void note_absence(base::Ticks before, base::Ticks now) {
    // The thread may be on another processor now, which no thread of this process has left for a
    // long time.
    pause.note(std::max(before, given_way_here().load(std::memory_order_relaxed)), now);
}

} // namespace teff::idle
