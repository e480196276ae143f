// SPDX-License-Identifier: Apache-2.0
#include "idle/limits.h"

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
constinit SpinTicks spin{.brief = kBriefSpin_ns * kUsualRate / 1024, .longer = kLongSpin_ns * kUsualRate / 1024};
unsigned usable_processors = 1;

Instant now() { return {base::ticks(), base::monotonic_ns()}; }

void end_measurement() {
    const Instant ended = now();
    const std::uint64_t ns = ended.ns - began.ns;
    if (ns < kShortestMeasurement_ns) return;
    const std::uint64_t measured = (ended.ticks - began.ticks) * 1024 / ns;
    if (measured >= kLowestRate && measured <= kHighestRate) rate = measured;
}

} // namespace

base::Ticks in_ticks(std::uint64_t ns) { return ns * rate / 1024; }

const SpinTicks& spin_ticks() { return spin; }

bool may_spin(unsigned threads_at_work) { return threads_at_work <= usable_processors; }

void begin_to_measure() { began = now(); }

void initialise(int processors) {
    end_measurement();
    usable_processors = static_cast<unsigned>(processors);
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.spin_us != icv::kSpinAutomatic) {
        const base::Ticks given = in_ticks(static_cast<std::uint64_t>(icvs.spin_us) * 1000);
        spin = {.brief = given, .longer = given};
    } else if (icvs.wait_policy == icv::WaitPolicy::passive) {
        spin = {.brief = 0, .longer = 0};
    } else if (icvs.wait_policy == icv::WaitPolicy::active) {
        spin = {.brief = in_ticks(kActiveSpin_ns), .longer = in_ticks(kActiveSpin_ns)};
    } else {
        spin = {.brief = in_ticks(kBriefSpin_ns), .longer = in_ticks(kLongSpin_ns)};
    }
}

} // namespace teff::idle
