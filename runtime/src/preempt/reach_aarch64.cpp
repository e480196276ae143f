// SPDX-License-Identifier: Apache-2.0
//
// The code of AArch64 is not followed, as there is no decoder of its instructions here.
#include "preempt/reach.h"

namespace teff::preempt {

bool can_follow_code() { return false; }

Finding find_reach(const Loaded&, const void*) { return {Reach::unknown, 0}; }

} // namespace teff::preempt
