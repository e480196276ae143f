// SPDX-License-Identifier: Apache-2.0
//
// A stack that is used up: named before the process dies of it. Tasks that wait do so on top of
// each other, which takes more stack than with threads.
#pragma once

namespace teff::processes::overflow {

// On the program's thread, which has a stack for handlers. Not where the program has a handler of
// its own.
void watch();

} // namespace teff::processes::overflow
