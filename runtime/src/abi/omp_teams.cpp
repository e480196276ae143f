// SPDX-License-Identifier: Apache-2.0
// Leagues of teams. The ICVs that a teams construct without clauses uses belong to the process.
#include <atomic>

#include "abi/export.h"
#include "abi/first_use.h"
#include "icv/icv.h"
#include "region/league.h"

using namespace teff;

namespace {

constexpr int kNotSet = -1;                                       // then the environment's value applies
std::atomic<int> num_teams{kNotSet}, teams_thread_limit{kNotSet}; // relaxed: a setting guards nothing else

// The environment's value may be known only at the first use.
int value_of(const std::atomic<int>& setting, const std::uint32_t& from_environment) {
    abi::first_use();
    const int value = setting.load(std::memory_order_relaxed);
    return value == kNotSet ? static_cast<int>(from_environment) : value;
}

const region::League& current_league() {
    static constexpr region::League kAlone;
    const team::Worker* worker = abi::known_worker();
    return worker == nullptr ? kAlone : region::league_of(*worker->member);
}

} // namespace

TEFF_EXPORT int omp_get_num_teams() { return static_cast<int>(current_league().teams); }
TEFF_EXPORT int omp_get_team_num() { return static_cast<int>(current_league().number); }
TEFF_EXPORT int omp_get_max_teams() { return value_of(num_teams, icv::global().num_teams); }
TEFF_EXPORT int omp_get_teams_thread_limit() { return value_of(teams_thread_limit, icv::global().teams_thread_limit); }
// A negative number changes nothing; 0 means no particular number.
TEFF_EXPORT void omp_set_num_teams(int teams) {
    abi::first_use();
    if (teams >= 0) num_teams.store(teams, std::memory_order_relaxed);
}
TEFF_EXPORT void omp_set_teams_thread_limit(int threads) {
    abi::first_use();
    if (threads >= 0) teams_thread_limit.store(threads, std::memory_order_relaxed);
}
