// SPDX-License-Identifier: Apache-2.0
// Prints the values of knobs that have more than one part, for OMP_DISPLAY_ENV: as libgomp prints
// them, where it has the knob.
#pragma once

#include <cstdio>

#include "icv/icv.h"

namespace teff::icv {

void print_proc_bind(std::FILE* out, const GlobalIcvs& icvs);
void print_num_threads(std::FILE* out, const GlobalIcvs& icvs);
void print_schedule(std::FILE* out, const GlobalIcvs& icvs);
void print_preemption(std::FILE* out, const GlobalIcvs& icvs);
void print_preempt_signal(std::FILE* out, const GlobalIcvs& icvs);

} // namespace teff::icv
