// SPDX-License-Identifier: Apache-2.0
// The values of TEFF_SCHEDULE. sched/policies.cpp says what is behind each.
#pragma once

#include <string_view>

namespace teff::icv {

inline constexpr std::string_view kSchedulePolicies[] = {"work_stealing", "central"};
inline constexpr std::string_view kSchedulePolicyForm = "work_stealing or central";

} // namespace teff::icv
