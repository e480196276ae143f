// SPDX-License-Identifier: Apache-2.0
// Selects the policy that TEFF_SCHEDULE names.
#pragma once

#include <cstdint>

#include "sched/scheduler.h"

namespace teff::sched {

// Gives a team's scheduler the policy with this number in icv::kSchedulePolicies. Each queue of the
// policy holds `limit` tasks. Requires that nothing was ever queued in the scheduler. Returns false
// if there is no memory.
[[nodiscard]] bool choose_policy(Scheduler& scheduler, unsigned number, std::uint32_t limit);

} // namespace teff::sched
