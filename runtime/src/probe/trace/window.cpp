// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/window.h"

#include "base/clock.h"

namespace teff::probe::trace::window {

namespace detail {
constinit std::atomic<std::uint32_t> word{kOn};
constinit std::atomic<bool> moves{false};
} // namespace detail

namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

// The clock's plan. Relaxed: a thread that reads an old value finds the moment a little later.
constinit std::atomic<std::uint64_t> begins_at_ns{0}; // 0: there is no delay, or it is over
constinit std::atomic<std::uint64_t> ends_at_ns{0};   // 0: there is no duration, or it is over
constinit std::atomic<std::uint64_t> duration_ns{0};  // of a window that has not begun yet

void begin_duration(std::uint64_t now_ns) {
    const std::uint64_t duration = duration_ns.exchange(0, std::memory_order_relaxed);
    if (duration != 0) ends_at_ns.store(now_ns + duration, std::memory_order_relaxed);
}

} // namespace

void plan(std::uint64_t now_ns, std::uint64_t delay_ms, std::uint64_t duration_ms) {
    duration_ns.store(duration_ms * kNsPerMs, std::memory_order_relaxed);
    if (delay_ms != 0) {
        begins_at_ns.store(now_ns + delay_ms * kNsPerMs, std::memory_order_relaxed);
        detail::word.store(0, std::memory_order_relaxed);
    } else {
        begin_duration(now_ns);
    }
    detail::moves.store(delay_ms != 0 || duration_ms != 0, std::memory_order_relaxed);
}

bool try_begin() {
    std::uint32_t now = detail::word.load(std::memory_order_relaxed), next;
    do {
        if ((now & (detail::kOn | detail::kForGood)) != 0) return false;
        next = (now + detail::kNumber) | detail::kOn;
    } while (!detail::word.compare_exchange_weak(now, next, std::memory_order_seq_cst)); // [window-1]
    begins_at_ns.store(0, std::memory_order_relaxed);
    begin_duration(base::monotonic_ns());
    detail::moves.store(true, std::memory_order_relaxed);
    return true;
}

bool try_end() {
    const std::uint32_t before = detail::word.fetch_and(~detail::kOn, std::memory_order_seq_cst); // [window-1]
    if ((before & detail::kOn) == 0) return false;
    ends_at_ns.store(0, std::memory_order_relaxed);
    detail::moves.store(true, std::memory_order_relaxed);
    return true;
}

void end_for_good() {
    detail::word.fetch_or(detail::kForGood, std::memory_order_relaxed);
    begins_at_ns.store(0, std::memory_order_relaxed);
}

bool is_ended_for_good() { return (detail::word.load(std::memory_order_relaxed) & detail::kForGood) != 0; }

// By the coarse clock, as the caller asks at each outermost region until the delay is over.
bool is_delay_over() {
    const std::uint64_t at = begins_at_ns.load(std::memory_order_relaxed);
    return at != 0 && base::coarse_ns() >= at;
}

std::optional<std::uint64_t> over_since() {
    const std::uint64_t at = ends_at_ns.load(std::memory_order_relaxed);
    if (at == 0) return {};
    const std::uint64_t now = base::monotonic_ns();
    if (now < at) return {};
    return now - at;
}

void reset() {
    detail::word.store(detail::kOn, std::memory_order_relaxed);
    detail::moves.store(false, std::memory_order_relaxed);
    begins_at_ns.store(0, std::memory_order_relaxed);
    ends_at_ns.store(0, std::memory_order_relaxed);
    duration_ns.store(0, std::memory_order_relaxed);
}

} // namespace teff::probe::trace::window
