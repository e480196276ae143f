// SPDX-License-Identifier: Apache-2.0
#include "task/spin.h"

#include "icv/icv.h"

namespace teff::task {

namespace {

// Longer than a wake-up by the kernel takes (some microseconds), so that regions and barriers that follow each other closely
// never sleep; far below what a person or a neighbour on the machine would notice.
constexpr std::int64_t kDefaultSpin_us = 20;
// Where the counter's rate is not known better. A factor of two either way only moves the spin between 10 and 40 microseconds.
constexpr std::int64_t kTicksPerMicrosecond = 2500;

base::Ticks budget = kDefaultSpin_us * kTicksPerMicrosecond;
unsigned usable_processors = 1;

} // namespace

base::Ticks spin_ticks() { return budget; }

bool may_spin(unsigned threads_at_work) { return threads_at_work <= usable_processors; }

void initialise_spin(int processors) {
    usable_processors = static_cast<unsigned>(processors);
    const icv::GlobalIcvs& icvs = icv::global();
    std::int64_t microseconds = kDefaultSpin_us;
    if (icvs.spin_us != icv::kSpinAutomatic) microseconds = icvs.spin_us;
    else if (icvs.wait_policy == icv::WaitPolicy::passive) microseconds = 0;
    budget = static_cast<base::Ticks>(microseconds * kTicksPerMicrosecond);
}

} // namespace teff::task
