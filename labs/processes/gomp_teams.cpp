// SPDX-License-Identifier: Apache-2.0
// The entry points for a league on the host, and GOMP_error. The teams of a league run one after
// the other, each with all processes.
#include <cstdlib>
#include <cstring>

#include "abi/export.h"
#include "processes/report.h"
#include "processes/tasks.h"
#include "processes/team.h"

using namespace teff::processes;
using league::team_count;
using league::team_number;

unsigned league::team_number = 0, league::team_count = 1;

namespace {

int asked_teams = -1, asked_limit = -1; // by the program; else the environment's hold

int length(const char* text, std::size_t bytes) {
    if (text == nullptr) return 0;
    return static_cast<int>(bytes == ~std::size_t{0} ? std::strlen(text) : bytes);
}

} // namespace

TEFF_EXPORT int omp_get_num_teams() { return static_cast<int>(team_count); }
TEFF_EXPORT int omp_get_team_num() { return static_cast<int>(team_number); }

TEFF_EXPORT int omp_get_max_teams() {
    return asked_teams < 0 ? static_cast<int>(teff::icv::global().num_teams) : asked_teams;
}
TEFF_EXPORT int omp_get_teams_thread_limit() {
    return asked_limit < 0 ? static_cast<int>(teff::icv::global().teams_thread_limit) : asked_limit;
}
TEFF_EXPORT void omp_set_num_teams(int teams) {
    if (teams >= 0) asked_teams = teams;
}
TEFF_EXPORT void omp_set_teams_thread_limit(int threads) {
    if (threads >= 0) asked_limit = threads;
}

TEFF_EXPORT void GOMP_teams_reg(void (*body)(void*), void* data, unsigned teams, unsigned thread_limit, unsigned) {
    if (teams == 0) teams = static_cast<unsigned>(omp_get_max_teams());
    if (thread_limit == 0) thread_limit = static_cast<unsigned>(omp_get_teams_thread_limit());
    const teff::icv::TaskIcvs before = tasks::icvs();
    if (thread_limit != 0 && thread_limit < before.thread_limit) tasks::icvs().thread_limit = thread_limit;
    team_count = teams == 0 ? 1 : teams;
    for (team_number = 0; team_number < team_count; ++team_number)
        body(data);
    team_number = 0;
    team_count = 1;
    tasks::icvs() = before;
}

TEFF_EXPORT void GOMP_warning(const char* text, std::size_t bytes) {
    say("error directive encountered: %.*s", length(text, bytes), text == nullptr ? "" : text);
}
TEFF_EXPORT void GOMP_error(const char* text, std::size_t bytes) {
    say("fatal error: error directive encountered: %.*s", length(text, bytes), text == nullptr ? "" : text);
    std::exit(EXIT_FAILURE);
}
