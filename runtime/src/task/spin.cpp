// SPDX-License-Identifier: Apache-2.0
#include "task/spin.h"

#include "icv/icv.h"

namespace teff::task {

namespace {

// Longer than a wake-up by the kernel takes (some microseconds), so that regions and barriers that
// follow each other closely never sleep; far below what a person or a neighbour on the machine
// would notice.
constexpr std::int64_t kBriefSpin_us = 20;
// Some times what waking a thread on an idle processor costs (15 to 50 microseconds where this was
// measured).
constexpr std::int64_t kLongSpin_us = 200;
// Where the counter's rate is not known better. A factor of two either way only moves the spin
// between 10 and 40 microseconds.
constexpr std::int64_t kTicksPerMicrosecond = 2500;

constexpr SpinTicks in_ticks(std::int64_t brief_us, std::int64_t longer_us) {
    return {static_cast<base::Ticks>(brief_us * kTicksPerMicrosecond),
            static_cast<base::Ticks>(longer_us * kTicksPerMicrosecond)};
}

constinit SpinTicks limits = in_ticks(kBriefSpin_us, kLongSpin_us);
unsigned usable_processors = 1;

} // namespace

const SpinTicks& spin_ticks() { return limits; }

bool may_spin(unsigned threads_at_work) { return threads_at_work <= usable_processors; }

void initialise_spin(int processors) {
    usable_processors = static_cast<unsigned>(processors);
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.spin_us != icv::kSpinAutomatic) limits = in_ticks(icvs.spin_us, icvs.spin_us);
    else if (icvs.wait_policy == icv::WaitPolicy::passive) limits = in_ticks(0, 0);
    else limits = in_ticks(kBriefSpin_us, kLongSpin_us);
}

} // namespace teff::task
