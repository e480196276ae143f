// SPDX-License-Identifier: Apache-2.0
// Whether and how long a waiting worker spins before it sleeps.
#pragma once

#include "base/clock.h"

namespace teff::task {

// In ticks. TEFF_SPIN if given; else kDefaultSpin_us, or none under OMP_WAIT_POLICY=passive.
base::Ticks spin_ticks();

// May waiting threads spin while `threads_at_work` of the process take part in regions? Not when there are more of them than processors that
// the process may use: whoever spins then keeps off the processor the thread that it waits for.
bool may_spin(unsigned threads_at_work);

// Reads the knobs. Called once by the library's constructor; `processors` is what the process may use.
void initialise_spin(int processors);

} // namespace teff::task
