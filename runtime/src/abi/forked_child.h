// SPDX-License-Identifier: Apache-2.0
//
// fork(): what the runtime does in the child, before the program sees it. region/after_fork.h has
// the rules.
#pragma once

namespace teff::abi {

// Called once by the library's constructor.
void watch_for_forks();

} // namespace teff::abi
