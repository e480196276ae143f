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
constinit std::atomic<std::uint32_t> nth{0};          // 0: every region is recorded

void begin_duration(std::uint64_t now_ns) {
    const std::uint64_t duration = duration_ns.exchange(0, std::memory_order_relaxed);
    if (duration != 0) ends_at_ns.store(now_ns + duration, std::memory_order_relaxed);
}

// Returns the bits of `word` after the change that `next` makes, as often as it has to be tried; or
// 0 if `next` returns its argument.
template <class Next> std::uint32_t change(Next next) {
    std::uint32_t now = detail::word.load(std::memory_order_relaxed), then;
    do {
        then = next(now);
        if (then == now) return 0;
    } while (!detail::word.compare_exchange_weak(now, then, std::memory_order_seq_cst)); // [window-1]
    detail::moves.store(true, std::memory_order_relaxed);
    return then;
}

std::uint32_t with_next_window(std::uint32_t bits) { return (bits + detail::kNumber) | detail::kOn; }

} // namespace

void plan(std::uint64_t now_ns, const Plan& wanted) {
    duration_ns.store(wanted.duration_ms * kNsPerMs, std::memory_order_relaxed);
    nth.store(wanted.every > 1 ? wanted.every : 0, std::memory_order_relaxed);
    if (wanted.delay_ms != 0) {
        begins_at_ns.store(now_ns + wanted.delay_ms * kNsPerMs, std::memory_order_relaxed);
        detail::word.store(0, std::memory_order_relaxed);
    } else {
        begin_duration(now_ns);
        if (every() != 0) detail::word.store(detail::kByRegion, std::memory_order_relaxed);
    }
    const bool moves = wanted.delay_ms != 0 || wanted.duration_ms != 0 || every() != 0;
    detail::moves.store(moves, std::memory_order_relaxed);
}

bool try_begin() {
    const bool by_region = every() != 0;
    const std::uint32_t changed = change([by_region](std::uint32_t now) {
        if ((now & (detail::kOn | detail::kForGood)) != 0) return now;
        return by_region ? now | detail::kByRegion : with_next_window(now);
    });
    if (changed == 0) return false;
    begins_at_ns.store(0, std::memory_order_relaxed);
    begin_duration(base::monotonic_ns());
    return true;
}

bool try_end() {
    constexpr std::uint32_t kBits = detail::kOn | detail::kByRegion;
    const std::uint32_t before = detail::word.fetch_and(~kBits, std::memory_order_seq_cst); // [window-1]
    if ((before & kBits) == 0) return false;
    ends_at_ns.store(0, std::memory_order_relaxed);
    detail::moves.store(true, std::memory_order_relaxed);
    return (before & detail::kOn) != 0;
}

std::uint32_t every() { return nth.load(std::memory_order_relaxed); }

bool is_by_region() { return (detail::word.load(std::memory_order_relaxed) & detail::kByRegion) != 0; }

bool try_begin_by_region() {
    return change([](std::uint32_t now) {
               const bool may_begin = (now & (detail::kOn | detail::kByRegion | detail::kForGood)) == detail::kByRegion;
               return may_begin ? with_next_window(now) : now;
           }) != 0;
}

bool try_end_by_region() {
    constexpr std::uint32_t kBoth = detail::kOn | detail::kByRegion;
    return change([](std::uint32_t now) { return (now & kBoth) == kBoth ? now & ~detail::kOn : now; }) != 0;
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
    nth.store(0, std::memory_order_relaxed);
}

} // namespace teff::probe::trace::window
