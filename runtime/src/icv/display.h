// SPDX-License-Identifier: Apache-2.0
// Prints the ICVs for OMP_DISPLAY_ENV and omp_display_env. The layout is that of GCC 12's libgomp,
// line for line; VERBOSE adds the knobs that only libgomp or only Teff has.
#pragma once

#include <cstdio>

#include "base/report.h"
#include "icv/icv.h"

namespace teff::icv {

void display(std::FILE* out, const GlobalIcvs& icvs, bool verbose);

// As `display`, on standard error. Writes the whole text at once, so that no lines of other threads
// stand between its lines.
void display_on_stderr(const GlobalIcvs& icvs, bool verbose);

// Adds the text that OMP_DISPLAY_ENV asks for, if any, to the held words. The text is printed after
// the held warnings, when the process uses OpenMP.
void hold_display(base::HeldWords& held, const GlobalIcvs& icvs);

} // namespace teff::icv
