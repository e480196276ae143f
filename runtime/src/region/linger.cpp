// SPDX-License-Identifier: Apache-2.0
#include "region/linger.h"

#include "base/report.h"
#include "region/events.h"
#include "region/region.h"
#include "region/team_protocol.h"
#include "region/team_setup.h"
#include "region/tool_notices.h"
#include "task/preemption.h"
#include "task/waiting.h"
#include "team/pool.h"

namespace teff::region {

namespace {

using NextLetter = LetterArrived<base::RealAtomics, team::Worker, team::Team>;

// With a tool attached, a worker that has joined notifies the tool when the region has ended, and
// only then lingers; the leader waits for this notification.
struct RegionEnded : NextLetter {
    bool over() const {
        return team.generation.load(std::memory_order_seq_cst) != worker.team_phase || // [barrier-1] [barrier-2]
               worker.inbox.has_letter();
    }
};

TEFF_COLD void wait_for_region_end(team::Worker& worker) {
    task::wait_outside(worker, RegionEnded{{worker, *worker.member->team}});
    events::member_released(worker);
    has_notified_tool(worker);
}

// The wait of a worker that is in no team, or has gone aside: it has no other work meanwhile.
TEFF_COLD void await_outside_regions(team::Worker& worker) {
    worker.member = &team::nowhere;
    worker.inbox.await(worker.parker);
}

team::Inbox::Letter next_letter(team::Worker& worker) {
    if (TEFF_UNLIKELY(worker.probes != 0) && has_to_notify_tool(worker)) wait_for_region_end(worker);
    if (worker.member != &team::nowhere) task::wait_outside(worker, NextLetter{worker, *worker.member->team});
    if (TEFF_UNLIKELY(!worker.inbox.has_letter())) await_outside_regions(worker);
    return worker.inbox.take();
}

void step_outside(team::Worker& worker) {
    worker.member = &team::nowhere;
    worker.inbox.step_outside();
}

// Called when a worker is retired. If it still has a place in a team, it is the worker of a forked
// child's only thread (after_fork.h).
TEFF_COLD void end_retired(team::Worker& worker) {
    if (worker.member == &team::nowhere) return;
    base::warn(
        "a process that was forked inside a parallel region, by a thread that does not lead the region, has come "
        "to the region's end: it ends here. Let such a process call _exit or exec");
    release_threads(worker); // the threads of regions that it has led since
}

} // namespace

void worker_main(team::Worker& worker) {
    task::begin_preemptible(worker);
    for (;;) {
        const team::Inbox::Letter letter = next_letter(worker);
        if (TEFF_UNLIKELY(letter.is_retirement())) break;
        if (letter.is_outside()) step_outside(worker);
        else take_part(worker, letter.place());
    }
    task::end_preemptible(worker);
    end_retired(worker);
}

void give_place(team::Worker& worker, team::Member& member) { worker.inbox.give(member, worker.parker); }

void retire(team::Worker& worker) {
    team::count_retiring();
    worker.inbox.retire(worker.parker);
}

void retire_after_this(team::Worker& worker) { worker.inbox.retire_later(); }

void dismiss(team::Worker& dismisser, team::Team& team) {
    for (unsigned i = 1; i < team.staffed; ++i) {
        team::Worker& worker = *team.members[i]->worker;
        if (!worker.inbox.is_outside()) worker.inbox.ask_outside(dismisser.parker, worker.parker);
    }
    for (unsigned i = 1; i < team.staffed; ++i)
        team.members[i]->worker->inbox.await_outside(dismisser.parker);
}

} // namespace teff::region
