// SPDX-License-Identifier: Apache-2.0
// What a teams construct without clauses takes from nteams-var and teams-thread-limit-var.
#pragma once

extern "C" {
int omp_get_max_teams();
int omp_get_teams_thread_limit();
}

namespace teff::abi {

// Where neither the program nor the environment asks for more, one team is enough: the teams of a
// league run one after the other.
inline unsigned default_teams() {
    const int asked = omp_get_max_teams();
    return asked > 0 ? static_cast<unsigned>(asked) : 1;
}

inline unsigned default_teams_thread_limit() { return static_cast<unsigned>(omp_get_teams_thread_limit()); } // 0: none

} // namespace teff::abi
