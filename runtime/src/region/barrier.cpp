// SPDX-License-Identifier: Apache-2.0
//
// A central counter and a generation. The last to arrive, or, if tasks are left then, whoever finds the team quiet, opens the
// barrier: it takes `arrived` from full to 0 (one compare-exchange wins), raises `generation`, and wakes who sleeps.
//
// [barrier-1] arrival's fetch_add (acq_rel) chains all arrivals; the opener's store of `generation` (seq_cst) pairs with the waiters' load
//             (acquire): what any member did before the barrier is seen by all after it.
// [barrier-2] opener: store generation, look for sleepers; sleeper: enter (read-modify-write), look at generation. All seq_cst: one of the two
//             sees the other.
#include "region/barrier.h"

#include "region/events.h"
#include "region/quiet.h"
#include "task/drain.h"

namespace teff::region {

namespace {

void open_barrier(team::Team& team, std::uint32_t generation) {
    team.generation.store(generation + 1, std::memory_order_seq_cst); // [barrier-1] [barrier-2]
    team.ready.wake_all_if_any();
}

bool try_open_if_quiet(team::Team& team, std::uint32_t generation) {
    std::uint32_t all = team.size;
    if (team.arrived.load(std::memory_order_acquire) != all || !quiet(team, all)) return false;
    if (!team.arrived.compare_exchange_strong(all, 0, std::memory_order_acq_rel, std::memory_order_relaxed))
        return false;
    open_barrier(team, generation);
    return true;
}

struct UntilBarrierOpens {
    team::Team& team;
    std::uint32_t generation;
    bool cancellable;

    bool over() const {
        if (team.generation.load(std::memory_order_seq_cst) != generation) return true; // [barrier-1] [barrier-2]
        if (cancellable && team.cancelled.load(std::memory_order_seq_cst)) return true;
        return team.has_tasks.load(std::memory_order_relaxed) && try_open_if_quiet(team, generation);
    }
    bool try_arm() { return true; } // the opener wakes all sleepers, so being one is enough
    void disarm() {}
    void ran_out() {}
    task::Eligible eligible() const { return task::Eligible::of_phase(team.generation, generation); }
};

void arrive_and_wait(team::Worker& worker, bool cancellable) {
    team::Team& team = *worker.member->team;
    const std::uint32_t generation =
        team.generation.load(std::memory_order_relaxed); // cannot change before this member arrives
    const std::uint32_t before = team.arrived.fetch_add(1, std::memory_order_acq_rel); // [barrier-1]
    if (before + 1 == team.size && !team.has_tasks.load(std::memory_order_relaxed)) {
        team.arrived.store(0, std::memory_order_relaxed);
        return open_barrier(team, generation);
    }
    task::drain(worker, UntilBarrierOpens{team, generation, cancellable});
}

} // namespace

bool barrier(team::Worker& worker, BarrierKind kind, bool cancellable, base::CallSite site) {
    team::Team& team = *worker.member->team;
    if (cancellable && team.cancelled.load(std::memory_order_relaxed)) return true;
    const std::uint32_t ordinal = ++worker.member->barriers;
    const base::Ticks began = TEFF_UNLIKELY(worker.probes != 0) ? events::barrier_begins(worker, kind, site) : 0;
    arrive_and_wait(worker, cancellable);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::barrier_ends(worker, kind, site, began, ordinal);
    return cancellable && team.cancelled.load(std::memory_order_relaxed);
}

} // namespace teff::region
