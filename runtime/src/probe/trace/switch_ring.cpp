// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/switch_ring.h"

#include <ctime>

namespace teff::probe::trace {

namespace {

// Of the thread's own code alone, which needs no privilege: an event that counts nothing, and
// writes down context switches.
perf_event_attr switches_only() {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_DUMMY;
    wanted.sample_type = PERF_SAMPLE_TIME;
    wanted.sample_id_all = 1;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.context_switch = 1;
    wanted.use_clockid = 1;
    wanted.clockid = CLOCK_MONOTONIC;
    return wanted;
}

} // namespace

void SwitchRing::open(const Guest& guest, std::uint32_t thread, std::size_t most_pages) {
    ring_.open(guest, thread, most_pages, switches_only());
    since_ = BothClocks::now();
    sleeps_ = 0;
}

// The middle of a sleep lies within the interval that was noted for it: their ends are some hundred
// nanoseconds apart, and the clocks agree within that. Both are in order of time.
bool SwitchRing::is_noted(Ticks begin, Ticks ticks) {
    const Ticks middle = begin + ticks / 2;
    while (sleeps_passed_ < sleeps_ && asleep_[sleeps_passed_].end < middle)
        ++sleeps_passed_;
    return sleeps_passed_ < sleeps_ && asleep_[sleeps_passed_].begin <= middle;
}

} // namespace teff::probe::trace
