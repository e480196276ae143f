// SPDX-License-Identifier: Apache-2.0
//
// What is done once: the initialisation of C++'s variables of functions (their guards), and
// pthread_once with those that call it (std::call_once). In a region the guard's lock is taken at
// the hub; who gets it second finds the guard as the first one has left it.
#pragma once

namespace teff::processes::statics {

// Before the first module of the program runs, and when the first region begins.
void place_hooks();

} // namespace teff::processes::statics
