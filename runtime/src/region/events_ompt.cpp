// SPDX-License-Identifier: Apache-2.0
#include "region/events.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "probe/ompt/records.h"
#include "probe/ompt/region_events.h"
#include "probe/ompt/sync_events.h"
#include "probe/ompt/target_events.h"
#include "probe/ompt/task_events.h"
#include "region/region.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::region::events {

struct LeagueRecords {
    probe::ompt::ParallelRecord league;
    probe::ompt::TaskRecord team;
};

} // namespace teff::region::events

namespace teff::region::events::ompt {

namespace ompt = probe::ompt;

namespace {

int flags_of(const Construct& construct) {
    const int invoker = construct.program_calls_body ? ompt_parallel_invoker_program : ompt_parallel_invoker_runtime;
    return invoker | static_cast<int>(ompt_parallel_team);
}

ompt_sync_region_t kind_of(BarrierKind kind) {
    switch (kind) {
    case BarrierKind::kExplicit:
        return ompt_sync_region_barrier_explicit;
    case BarrierKind::kImplicit:
        return ompt_sync_region_barrier_implicit_workshare;
    case BarrierKind::kImplementation:
        return ompt_sync_region_barrier_implementation;
    }
    __builtin_unreachable();
}

int construct_of(int cancel_kind) {
    switch (cancel_kind) {
    case kCancelLoop:
        return ompt_cancel_loop;
    case kCancelSections:
        return ompt_cancel_sections;
    case kCancelTaskgroup:
        return ompt_cancel_taskgroup;
    default:
        return ompt_cancel_parallel;
    }
}

// The code of the barrier at the region's end: only the leader's own call of the runtime has one.
const void* place_of_join(const team::Worker& worker, const team::Team& team) {
    return worker.member->number == 0 ? team.recording.site : nullptr;
}

} // namespace

void region_begins(team::Worker& leader, team::Team& team, const Construct& construct) {
    ompt::ParallelRecord& parallel = team::parallel_record(team);
    parallel.size = team.size;
    const unsigned requested = construct.num_threads != 0 ? construct.num_threads : leader.task->icvs->nthreads;
    team.tool.encountering_record = leader.ompt->current();
    ompt::parallel_begins(*leader.ompt, parallel, requested, flags_of(construct), construct.site);
}

void member_begins(team::Worker& worker, team::Team& team) {
    ompt::implicit_task_begins(*worker.ompt, team::task_record(*worker.member), *team.tool.record,
                               team.tool.encountering_record, worker.member->number);
}

void body_begins(team::Worker& worker, void* frame) { ompt::body_begins(*worker.ompt, frame); }

void body_ends(team::Worker& worker) { ompt::body_ends(*worker.ompt); }

void program_begins_body(team::Worker& worker, base::CallSite site) { ompt::program_begins_body(*worker.ompt, site); }

void** exit_frame(const team::Worker& worker) { return &worker.ompt->current()->frame.exit_frame.ptr; }

void member_joins(team::Worker& worker, const team::Team& team) {
    ompt::join_begins(*worker.ompt, place_of_join(worker, team));
}

void member_released(team::Worker& worker) {
    ompt::join_ends(*worker.ompt, place_of_join(worker, *worker.member->team));
    ompt::implicit_task_ends(*worker.ompt);
}

void region_ends(team::Worker& leader, team::Team& team) {
    ompt::join_ends(*leader.ompt, team.recording.site);
    ompt::implicit_task_ends(*leader.ompt);
    ompt::parallel_ends(*leader.ompt, *team.tool.record, team.recording.site);
    team.tool.encountering_record = nullptr;
}

void initial_task_begins(team::Worker& worker) {
    ompt::ParallelRecord& surroundings = team::parallel_record(*worker.member->team);
    surroundings = {};
    ompt::initial_task_begins(*worker.ompt, team::task_record(*worker.member), surroundings, 1, 1);
}

void initial_task_ends(team::Worker& worker) { ompt::initial_task_ends(*worker.ompt, 1); }

// In an initial task of a league, the thread's own initial task is not the current one.
bool tool_may_leave(const team::Worker& worker) {
    const ompt::TaskRecord* task = worker.ompt->current();
    const bool in_program = worker.ompt->state.load(std::memory_order_relaxed) == ompt_state_work_serial;
    if (!in_program || task != worker.member->task_record) return false;
    return task->frame.enter_frame.ptr == nullptr || worker.ompt->controls_tool;
}

void tool_leaves(team::Worker& worker) { ompt::tool_leaves(*worker.ompt, 1); }

void barrier_begins(team::Worker& worker, BarrierKind kind, base::CallSite site) {
    ompt::sync_region_begins(*worker.ompt, kind_of(kind), site);
    ompt::sync_wait_begins(*worker.ompt, kind_of(kind), site);
}

void barrier_ends(team::Worker& worker, BarrierKind kind, base::CallSite site) {
    ompt::sync_wait_ends(*worker.ompt, kind_of(kind), site.code());
    ompt::sync_region_ends(*worker.ompt, kind_of(kind), site.code());
}

void cancellation(team::Worker& worker, int kind, bool activates, base::CallSite site) {
    ompt::cancellation(*worker.ompt, construct_of(kind) | (activates ? ompt_cancel_activated : ompt_cancel_detected),
                       site.code());
}

void target_begins(team::Worker& worker, bool included, base::CallSite site) {
    static_assert(sizeof(ompt::TargetRecord) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kRecord)]);
    auto* target = static_cast<ompt::TargetRecord*>(worker.blocks.take(mem::BlockSize::kRecord));
    ompt::target_begins(*worker.ompt, *target, included, site);
}

void target_ends(team::Worker& worker) {
    ompt::TargetRecord* target = worker.ompt->target;
    ompt::target_ends(*worker.ompt);
    worker.blocks.give_back(target, mem::BlockSize::kRecord);
}

void target_task_begins(team::Worker& worker) { initial_task_begins(worker); }

void target_task_ends(team::Worker& worker) { initial_task_ends(worker); }

LeagueRecords& league_begins(team::Worker& worker, const League& league, base::CallSite site) {
    constexpr int kFlags = ompt_parallel_league | ompt_parallel_invoker_runtime;
    void* memory = std::malloc(sizeof(LeagueRecords));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for what a tool keeps of a league");
    LeagueRecords& records = *::new (memory) LeagueRecords;
    records.league.size = league.teams;
    ompt::parallel_begins(*worker.ompt, records.league, league.teams, kFlags, site);
    return records;
}

void league_ends(team::Worker& worker, LeagueRecords& records, base::CallSite site) {
    ompt::parallel_ends(*worker.ompt, records.league, site.code());
    std::free(&records);
}

void team_begins(team::Worker& worker, LeagueRecords& records, const League& league) {
    records.team = {};
    ompt::initial_task_begins(*worker.ompt, records.team, records.league, league.teams, league.number);
}

void team_ends(team::Worker& worker, const League& league) { ompt::initial_task_ends(*worker.ompt, league.number); }

} // namespace teff::region::events::ompt
