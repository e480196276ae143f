// SPDX-License-Identifier: Apache-2.0
#include "region/league.h"

#include "region/contention_group.h"
#include "region/events.h"
#include "region/region.h"
#include "region/team_setup.h"
#include "task/icvs.h"
#include "task/wait.h"

namespace teff::region {

namespace {

// Identifies the body of an initial team in a league, whose data is the League. Never called.
void league_mark(void*) {}

constexpr League kNoLeague{};

// While an object of this class lives, the caller's initial team is in `league`.
class InLeague {
  public:
    InLeague(team::Team& team, League& league) : team_(team), before_(team.body) { team.body = {league_mark, &league}; }
    ~InLeague() { team_.body = before_; }
    InLeague(const InLeague&) = delete;
    InLeague& operator=(const InLeague&) = delete;

  private:
    team::Team& team_;
    team::RegionBody before_;
};

void limit_threads(team::Worker& worker, unsigned limit) {
    if (limit != 0) task::change_icvs(worker, [=](icv::TaskIcvs& icvs) { icvs.thread_limit = limit; });
}

// Runs the body in a league of one, including the implicit barrier at the end.
void run_alone(team::Worker& worker, team::RegionBody body, base::CallSite site) {
    League league;
    const InLeague in_league(*worker.member->team, league);
    events::call_body(worker, body);
    barrier(worker, BarrierKind::kImplementation, false, site);
}

// Takes the worker from the separate team back to its previous place and task.
void go_back(team::Worker& worker, team::Member& place, task::Task& task) {
    worker.member = &place;
    worker.task = &task;
    remember_team(worker, *place.team);
}

// Restores the ICVs, because an earlier team may have changed them.
void restore_icvs(team::Worker& worker, const icv::TaskIcvs& icvs) {
    if ((worker.task->flags & task::kOwnIcvs) != 0) task::own_icvs(worker, *worker.task) = icvs;
}

// Runs the league's next team. `icvs`: the ICVs at the time when the construct was met.
void run_team(team::Worker& worker, const League& league, team::RegionBody body, unsigned thread_limit,
              const icv::TaskIcvs& icvs, events::LeagueRecords* records) {
    restore_icvs(worker, icvs);
    limit_threads(worker, thread_limit);
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    if (probed) events::team_begins(worker, records, league);
    events::call_body(worker, body);
    if (probed) events::team_ends(worker, league);
}

} // namespace

const League& league_of(const team::Member& member) {
    const team::Team& team = initial_team(member);
    return team.body.function == league_mark ? *static_cast<const League*>(team.body.data) : kNoLeague;
}

void run_league(team::Worker& worker, team::RegionBody body, unsigned teams, unsigned thread_limit,
                base::CallSite site) {
    League league{.teams = teams};
    const InLeague in_league(initial_team(*worker.member), league);
    const icv::TaskIcvs icvs = *worker.task->icvs;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    events::LeagueRecords* const records = probed ? events::league_begins(worker, league, site) : nullptr;
    for (; league.number < teams; ++league.number)
        run_team(worker, league, body, thread_limit, icvs, records);
    if (probed) events::league_ends(worker, records, site);
    restore_icvs(worker, icvs);
}

void run_initial_task(team::Worker& worker, team::RegionBody body, unsigned thread_limit, TargetTask target_task,
                      base::CallSite site) {
    team::Member& place = *worker.member;
    task::Task& task = *worker.task;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    if (probed) events::target_begins(worker, target_task == TargetTask::kIncluded, site);
    enter_root_team(worker, &place);
    limit_threads(worker, thread_limit);
    const base::Ticks began = probed ? events::target_task_begins(worker, target_task, task, site) : 0;
    run_alone(worker, body, site);
    task::run_what_is_ready(worker);
    if (probed) events::target_task_ends(worker, target_task, began);
    leave_root_team(worker);
    go_back(worker, place, task);
    if (probed) events::target_ends(worker);
}

void begin_league(team::Worker& worker, unsigned teams, unsigned thread_limit) {
    const team::Team& team = initial_team(*worker.member);
    limit_threads(worker, thread_limit);
    if (team.body.function == league_mark) *static_cast<League*>(team.body.data) = {.teams = teams};
}

bool next_team(team::Worker& worker) {
    const team::Team& team = initial_team(*worker.member);
    if (team.body.function != league_mark) return false;
    auto& league = *static_cast<League*>(team.body.data);
    return ++league.number < league.teams;
}

} // namespace teff::region
