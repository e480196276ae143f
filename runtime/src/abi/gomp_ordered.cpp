// SPDX-License-Identifier: Apache-2.0
//
// GOMP_ordered_*.
#include "abi/export.h"
#include "loop/ordered.h"

using namespace teff;

TEFF_EXPORT void GOMP_ordered_start() { loop::ordered_begin(team::current_worker(), TEFF_SITE); }

// The turn is for the whole chunk; it is passed on when the member asks for the next one.
TEFF_EXPORT void GOMP_ordered_end() {}
