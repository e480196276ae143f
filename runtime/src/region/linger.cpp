// SPDX-License-Identifier: Apache-2.0
#include "region/linger.h"

#include "base/report.h"
#include "region/events.h"
#include "region/join.h"
#include "region/quiet.h"
#include "task/drain.h"
#include "team/pool.h"

namespace teff::region {

namespace {

// Three places that are none.
constinit team::Member asleep_place, outside_place, home_place;
team::Member* const kAsleep = &asleep_place;
team::Member* const kOutside = &outside_place;
team::Member* const kHome = &home_place;

bool has_place(const team::Worker& worker) {
    const team::Member* place = worker.inbox.load(std::memory_order_acquire); // [region-1]
    return place != nullptr && place != kAsleep;
}

bool try_empty_to_asleep(team::Worker& worker) {
    team::Member* expected = nullptr;
    return worker.inbox.compare_exchange_strong(expected, kAsleep, std::memory_order_seq_cst,
                                                std::memory_order_acquire);
}

void asleep_to_empty(team::Worker& worker) {
    team::Member* expected = kAsleep;
    worker.inbox.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed,
                                         std::memory_order_relaxed); // else there is a place now
}

struct UntilPlaceArrives {
    team::Worker& worker;
    team::Team& team;

    bool over() const { return has_place(worker); }
    bool try_arm() {
        if (!try_empty_to_asleep(worker)) return false;
        wake_leader_if_quiet(worker, team);
        return true;
    }
    void disarm() { asleep_to_empty(worker); }
    void ran_out() { wake_leader_if_quiet(worker, team); }
    task::Eligible eligible() const { return task::Eligible::of_phase(team.generation, worker.team_phase); }
};

// With a tool attached, a worker that has joined tells it when the region has ended, for which the leader waits, and only then lingers.
struct UntilRegionEnds : UntilPlaceArrives {
    bool over() const {
        return team.generation.load(std::memory_order_seq_cst) != worker.team_phase || // [barrier-1] [barrier-2]
               has_place(worker);
    }
};

TEFF_COLD void wait_for_region_end(team::Worker& worker) {
    task::drain(worker, UntilRegionEnds{{worker, *worker.member->team}});
    events::member_released(worker);
}

// A worker in no team has nothing to do meanwhile.
void sleep_until_place_arrives(team::Worker& worker) {
    while (!has_place(worker)) {
        if (!try_empty_to_asleep(worker)) return;
        worker.parker.park();
        asleep_to_empty(worker);
    }
}

team::Member* next_place(team::Worker& worker) {
    if (TEFF_UNLIKELY(worker.probes != 0) && events::awaits_region_end(worker)) wait_for_region_end(worker);
    if (worker.member != &team::nowhere) task::drain(worker, UntilPlaceArrives{worker, *worker.member->team});
    else sleep_until_place_arrives(worker);
    team::Member* place = worker.inbox.load(std::memory_order_acquire); // [region-1]
    worker.inbox.store(nullptr, std::memory_order_relaxed);
    return place;
}

void step_outside(team::Worker& worker) {
    team::Worker& waiting = *worker.dismissed_by;
    worker.member = &team::nowhere;
    worker.outside.store(true, std::memory_order_release); // [linger-1]
    waiting.parker.unpark();
}

// Only a forked child's worker still has a place in a team.
TEFF_COLD void go_home(team::Worker& worker) {
    if (worker.member == &team::nowhere) return;
    base::warn(
        "a process that was forked inside a parallel region, by a thread that does not lead the region, has come "
        "to the region's end: it ends here. Let such a process call _exit or exec");
}

} // namespace

void worker_main(team::Worker& worker) {
    for (;;) {
        team::Member* place = next_place(worker);
        if (TEFF_UNLIKELY(place == kHome)) return go_home(worker);
        if (place == kOutside) step_outside(worker);
        else take_part(worker, *place);
    }
}

void give_place(team::Worker& worker, team::Member& member) {
    worker.outside.store(false, std::memory_order_relaxed);
    if (worker.inbox.exchange(&member, std::memory_order_acq_rel) == kAsleep) worker.parker.unpark(); // [region-1]
}

void send_home(team::Worker& worker) {
    team::count_on_way_home();
    if (worker.inbox.exchange(kHome, std::memory_order_acq_rel) == kAsleep) worker.parker.unpark(); // [region-1]
}

void go_home_after_this(team::Worker& worker) { worker.inbox.store(kHome, std::memory_order_relaxed); }

void dismiss(team::Worker& dismisser, team::Team& team, unsigned from) {
    for (unsigned i = from; i < team.manned; ++i) {
        team::Worker& worker = *team.members[i]->worker;
        if (worker.outside.load(std::memory_order_acquire)) continue;
        worker.dismissed_by = &dismisser;
        if (worker.inbox.exchange(kOutside, std::memory_order_acq_rel) == kAsleep) worker.parker.unpark();
    }
    for (unsigned i = from; i < team.manned; ++i)
        while (!team.members[i]->worker->outside.load(std::memory_order_acquire))
            dismisser.parker.park(); // [linger-1]
}

} // namespace teff::region
