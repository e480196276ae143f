// SPDX-License-Identifier: Apache-2.0
//
// Initialisation that happens once: C++'s static variables of functions (their guards), and
// pthread_once with its callers (std::call_once). In a region the guard's lock is taken at the hub,
// so a second process that gets the lock sees the guard as the first process left it.
#pragma once

namespace teff::processes::statics {

// Called before the first module of the program runs, and when the first region begins.
void place_hooks();

} // namespace teff::processes::statics
