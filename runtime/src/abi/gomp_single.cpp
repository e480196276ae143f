// SPDX-License-Identifier: Apache-2.0
//
// GOMP_single_*.
#include "abi/export.h"
#include "loop/single.h"

using namespace teff;
using team::current_worker;

TEFF_EXPORT bool GOMP_single_start() { return loop::single_start(current_worker(), TEFF_SITE); }

TEFF_EXPORT void* GOMP_single_copy_start() { return loop::single_copy_start(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_single_copy_end(void* data) { loop::single_copy_end(current_worker(), data, TEFF_SITE); }
