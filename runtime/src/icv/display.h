// SPDX-License-Identifier: Apache-2.0
// What OMP_DISPLAY_ENV and omp_display_env print. The layout is that of GCC 12's libgomp, line for
// line; VERBOSE adds the knobs of libgomp and of Teff.
#pragma once

#include <cstdio>

#include "base/report.h"
#include "icv/icv.h"

namespace teff::icv {

void display(std::FILE* out, const GlobalIcvs& icvs, bool verbose);

// The same on standard error, as one piece: lines of other threads do not come between.
void display_on_stderr(const GlobalIcvs& icvs, bool verbose);

// What OMP_DISPLAY_ENV asks for waits with the warnings until the process uses OpenMP.
void hold_display(base::HeldWords& held, const GlobalIcvs& icvs);

} // namespace teff::icv
