// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/switch_ring.h"

#include <bit>
#include <ctime>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::size_t kPage = base::arch::kPageBytes;

// Of the thread's own code alone, which needs no privilege: an event that counts nothing, and
// writes down context switches.
long open_event(std::uint32_t thread) {
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
    return call(SYS_perf_event_open, &wanted, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

} // namespace

void SwitchRing::open(const Guest& guest, std::uint32_t thread, std::size_t most_pages) {
    close();
    if (!guest.may_call() || was_filtered_at_start()) return;
    auto work = [&] { map(thread, most_pages); };
    if (run_apart(guest, stack_, work) != 0) return;
    tail_ = 0;
    since_ = now();
    sleeps_ = 0;
}

// Runs apart. The event lives as long as its mapping.
void SwitchRing::map(std::uint32_t thread, std::size_t most_pages) {
    const long file = open_event(thread);
    if (file < 0) return;
    for (std::size_t pages = most_pages; pages >= kFewestPages && !is_open(); pages /= 4) {
        const std::size_t bytes = pages * kPage;
        const long at = call(SYS_mmap, nullptr, kPage + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (is_error(at)) continue;
        bytes_ = bytes;
        data_ = std::bit_cast<const char*>(at) + kPage;
        page_ = std::bit_cast<perf_event_mmap_page*>(at);
    }
    call(SYS_close, file);
}

void SwitchRing::close() {
    if (!is_open()) return;
    call(SYS_munmap, page_, kPage + bytes_);
    page_ = nullptr;
}

// The middle of a sleep lies within the interval that was noted for it: their ends are some hundred
// nanoseconds apart, and the clocks agree within that. Both are in order of time.
bool SwitchRing::is_noted(Ticks begin, Ticks ticks) {
    const Ticks middle = begin + ticks / 2;
    while (sleeps_passed_ < sleeps_ && asleep_[sleeps_passed_].end < middle)
        ++sleeps_passed_;
    return sleeps_passed_ < sleeps_ && asleep_[sleeps_passed_].begin <= middle;
}

SwitchRing::Ticks SwitchRing::ticks_at(std::uint64_t ns, const Instant& from, const Instant& until) {
    if (ns <= from.ns || until.ns <= from.ns || until.ticks <= from.ticks) return from.ticks;
    if (ns >= until.ns) return until.ticks;
    const unsigned __int128 ticks = until.ticks - from.ticks;
    return from.ticks + static_cast<Ticks>(ticks * (ns - from.ns) / (until.ns - from.ns));
}

// Between the two clocks the thread may lose its processor: the closest of some tries counts.
SwitchRing::Instant SwitchRing::now() {
    constexpr int kTries = 4;
    constexpr Ticks kClose = 1'000;
    Instant best{};
    Ticks least = ~Ticks{0};
    for (int i = 0; i < kTries && least > kClose; ++i) {
        const Ticks before = base::ticks();
        const std::uint64_t ns = base::monotonic_ns();
        const Ticks took = base::ticks() - before;
        if (took >= least) continue;
        least = took;
        best = {before + took / 2, ns};
    }
    return best;
}

} // namespace teff::probe::trace
