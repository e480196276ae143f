// SPDX-License-Identifier: Apache-2.0
// The policies by the names that TEFF_SCHEDULE gives them.
#pragma once

#include <cstdint>

#include "sched/scheduler.h"

namespace teff::sched {

// Gives a team's scheduler, in which nothing was ever queued, the policy of this number in
// icv::kSchedulePolicies, each queue of which holds so many tasks. False: there is no memory.
[[nodiscard]] bool choose_policy(Scheduler& scheduler, unsigned number, std::uint32_t limit);

} // namespace teff::sched
