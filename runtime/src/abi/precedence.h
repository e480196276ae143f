// SPDX-License-Identifier: Apache-2.0
//
// Which runtime the program was linked with. libomp and libgomp disagree on which environment
// variable counts if several ask for the same thing.
#pragma once

#include "icv/icv.h"

namespace teff::abi {

// Returns the precedence of the runtime that the program, or else the first of its libraries that
// names one, needs by the name of its file (DT_NEEDED); libgomp's if none does. May be called by
// any thread, and by a constructor.
icv::Precedence precedence_of_program();

} // namespace teff::abi
