// SPDX-License-Identifier: Apache-2.0
// Whether and how long a waiting worker spins before it sleeps.
#pragma once

#include "base/clock.h"

namespace teff::task {

// A worker spins briefly, unless its last sleep was so short that a longer spin would have spared
// it: then it spins long, until a long spin was in vain. So a rhythm of short pauses is met without
// sleeping, and a team that falls idle burns one long spin at most.
struct SpinTicks {
    base::Ticks brief;  // TEFF_SPIN if given; else kBriefSpin_us, or none under OMP_WAIT_POLICY=passive
    base::Ticks longer; // the same if TEFF_SPIN or the wait policy decides; else kLongSpin_us
};
const SpinTicks& spin_ticks();

// May waiting threads spin while `threads_at_work` of the process take part in regions? Not when
// there are more of them than processors that the process may use: whoever spins then keeps off the
// processor the thread that it waits for.
bool may_spin(unsigned threads_at_work);

// Reads the knobs. Called once by the library's constructor; `processors` is what the process may
// use.
void initialise_spin(int processors);

} // namespace teff::task
