// SPDX-License-Identifier: Apache-2.0
// The policy that TEFF_SCHEDULE names, made anew for each team.
#pragma once

#include <cstdint>

#include "sched/policy.h"

namespace teff::sched {

// The policy of this number in icv/schedule_policies.h, with room for so many tasks. Null for the
// default, or if there is no memory.
Policy* make_policy(unsigned number, std::uint32_t limit);

} // namespace teff::sched
