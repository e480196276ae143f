// SPDX-License-Identifier: Apache-2.0
//
// GOMP_ordered_*.
#include "abi/export.h"
#include "loop/ordered.h"

using namespace teff;

TEFF_EXPORT void GOMP_ordered_start() { loop::ordered_begin(team::current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_ordered_end() { loop::ordered_end(team::current_worker(), TEFF_SITE); }
