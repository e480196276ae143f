// SPDX-License-Identifier: Apache-2.0
// The exported functions of the teams construct.
#include <algorithm>

#include "abi/export.h"
#include "region/league.h"

using namespace teff;
using team::current_worker;

extern "C" {
int omp_get_max_teams();
int omp_get_teams_thread_limit();
}

namespace {

// The number of teams and the thread limit of a construct without clauses, which follow from
// nteams-var and teams-thread-limit-var. If neither the program nor the environment asks for more
// teams, the league has one team: the teams of a league run one after the other.
unsigned default_teams() {
    const int asked = omp_get_max_teams();
    return asked > 0 ? static_cast<unsigned>(asked) : 1;
}

unsigned default_thread_limit() { return static_cast<unsigned>(omp_get_teams_thread_limit()); } // 0: none

} // namespace

// Called inside a target region, by programs that GCC 11 or earlier has compiled. The league gets
// one team.
TEFF_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) {
    region::begin_league(current_worker(), 1, thread_limit);
}

// Called inside a target region before each team, until it returns false: there is no further team.
// The league gets the smallest number of teams that `lower` allows, which costs least.
TEFF_EXPORT bool GOMP_teams4(unsigned lower, unsigned, unsigned thread_limit, bool first) {
    if (!first) return region::next_team(current_worker());
    region::begin_league(current_worker(), std::max(lower, 1u), thread_limit);
    return true;
}

// Called for a teams construct on the host, outside a target region.
TEFF_EXPORT void GOMP_teams_reg(void (*body)(void*), void* data, unsigned teams, unsigned thread_limit, unsigned) {
    region::run_league(current_worker(), {body, data}, teams != 0 ? teams : default_teams(),
                       thread_limit != 0 ? thread_limit : default_thread_limit(), TEFF_SITE);
}
