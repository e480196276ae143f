// SPDX-License-Identifier: Apache-2.0
//
// Detects a stack overflow, and prints a message before the process dies. Waiting tasks lie on top
// of each other on one stack, which needs more stack than on threads.
#pragma once

namespace teff::processes::overflow {

// Called on the program's thread, which has a stack for handlers. Does nothing if the program has
// its own handler.
void watch();

} // namespace teff::processes::overflow
