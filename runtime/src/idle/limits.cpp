// SPDX-License-Identifier: Apache-2.0
#include "idle/limits.h"

#include <atomic>

#include "icv/icv.h"

namespace teff::idle {

namespace {

// The rate in ticks per 1,024 ns. Counters run at 10 MHz to some GHz. A measured rate outside of
// these limits means that the process was moved to another machine between the two readings.
constexpr std::uint64_t kUsualRate = 2560, kLowestRate = 10, kHighestRate = 16 * kUsualRate;
// In a shorter measurement the cost of reading the two clocks would falsify the rate.
constexpr std::uint64_t kShortestMeasurement_ns = 20'000;

struct Instant {
    base::Ticks ticks;
    std::uint64_t ns;
};

std::uint64_t rate = kUsualRate;
Instant began;
// Relaxed: the program may change them at any time, and nothing else depends on them.
constinit std::atomic<base::Ticks> brief_spin{kBriefSpin_ns * kUsualRate / 1024};
constinit std::atomic<base::Ticks> longer_spin{kLongSpin_ns * kUsualRate / 1024};
unsigned usable_processors = 1;

Instant now() { return {base::ticks(), base::monotonic_ns()}; }

void end_measurement() {
    const Instant ended = now();
    const std::uint64_t ns = ended.ns - began.ns;
    if (ns < kShortestMeasurement_ns) return;
    const std::uint64_t measured = (ended.ticks - began.ticks) * 1024 / ns;
    if (measured >= kLowestRate && measured <= kHighestRate) rate = measured;
}

void set_spins(std::uint64_t brief_ns, std::uint64_t longer_ns) {
    brief_spin.store(in_ticks(brief_ns), std::memory_order_relaxed);
    longer_spin.store(in_ticks(longer_ns), std::memory_order_relaxed);
}

} // namespace

base::Ticks in_ticks(std::uint64_t ns) { return ns * rate / 1024; }

SpinTicks spin_ticks() {
    return {.brief = brief_spin.load(std::memory_order_relaxed), .longer = longer_spin.load(std::memory_order_relaxed)};
}

void spin_for(std::int64_t us) {
    const std::uint64_t ns = static_cast<std::uint64_t>(us) * 1000;
    set_spins(ns, ns);
}

void spin_as(icv::WaitPolicy policy) {
    switch (policy) {
    case icv::WaitPolicy::passive:
        return set_spins(0, 0);
    case icv::WaitPolicy::active:
        return set_spins(kActiveSpin_ns, kActiveSpin_ns);
    default:
        return set_spins(kBriefSpin_ns, kLongSpin_ns);
    }
}

bool may_spin(unsigned threads_at_work) { return threads_at_work <= usable_processors; }

void begin_to_measure() { began = now(); }

void initialise(int processors) {
    end_measurement();
    usable_processors = static_cast<unsigned>(processors);
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.spin_us != icv::kSpinAutomatic) spin_for(icvs.spin_us);
    else spin_as(icvs.wait_policy);
}

} // namespace teff::idle
