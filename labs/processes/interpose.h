// SPDX-License-Identifier: Apache-2.0
// Functions that the intercepted functions of the C library (interpose_*.cpp) share.
#pragma once

#include <dlfcn.h>

namespace teff::processes {

// Returns the function that the program would get without this library, and keeps it in `kept`,
// which is null at first.
template <class Function> Function next(Function& kept, const char* name) {
    if (kept == nullptr) kept = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    return kept;
}

} // namespace teff::processes

// The caller of the intercepting function.
#define TEFF_CALLER __builtin_return_address(0)
