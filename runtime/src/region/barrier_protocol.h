// SPDX-License-Identifier: Apache-2.0
//
// The barrier: a central counter (Team::arrived) and a phase (Team::generation).
//
// The last to arrive opens it; or, if tasks are left then, whoever finds the team quiet: it takes
// `arrived` from full to 0 (one compare-exchange wins), raises the phase, and wakes who sleeps.
//
// [barrier-1] arrival's fetch_add (acq_rel) chains all arrivals; the opener's store of the phase
//             (seq_cst) pairs with the waiters' load (acquire): what any member did before the
//             barrier is seen by all after it.
// [barrier-2] opener: store the phase, look for sleepers; sleeper: enter (read-modify-write), look
//             at the phase. All seq_cst: one of the two sees the other.
// [cancel-1] the same for the cancellation of the region: store it, wake all; enter, look.
//
// A template over the Team and its atomics: the explorer runs it with a team of its own. barrier.h
// is what the runtime calls.
#pragma once

#include "region/quiet.h"
#include "sched/eligibility.h"

namespace teff::region {

// Of a barrier in this phase; see sched/wait.h for what a condition is. In a cancellable one the
// region's cancellation ends the wait, too.
template <class Atomics, class Team> struct BarrierOpen {
    Team& team;
    std::uint32_t phase;
    bool cancellable;

    bool over() const {
        if (team.generation.load(std::memory_order_seq_cst) != phase) return true;      // [barrier-1] [barrier-2]
        if (cancellable && team.cancelled.load(std::memory_order_seq_cst)) return true; // [cancel-1]
        return team.has_tasks.load(std::memory_order_relaxed) && try_open_if_quiet();
    }
    bool try_arm() { return true; } // the opener wakes all sleepers, so being one is enough
    void disarm() {}
    void ran_out() {}
    sched::OfPhaseOver<Atomics> eligible() const { return {team.generation, phase}; }

    // A member's arrival, before it waits. True: it was the last, and has opened the barrier.
    [[nodiscard]] bool arrive() {
        const std::uint32_t before = team.arrived.fetch_add(1, std::memory_order_acq_rel); // [barrier-1]
        if (before + 1 != team.size || team.has_tasks.load(std::memory_order_relaxed)) return false;
        team.arrived.store(0, std::memory_order_relaxed);
        open();
        return true;
    }

  private:
    void open() const {
        team.generation.store(phase + 1, std::memory_order_seq_cst); // [barrier-1] [barrier-2]
        team.ready.wake_all_if_any();
    }

    bool try_open_if_quiet() const {
        std::uint32_t all = team.size;
        if (team.arrived.load(std::memory_order_acquire) != all || !quiet(team, all)) return false; // [barrier-1]
        if (!team.arrived.compare_exchange_strong(all, 0, std::memory_order_acq_rel, std::memory_order_relaxed))
            return false; // [barrier-1]
        open();
        return true;
    }
};

} // namespace teff::region
