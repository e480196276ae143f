// SPDX-License-Identifier: Apache-2.0
//
// The protocols by which the members of a team learn that all members have arrived and that no task
// is left. This file has the sums that show whether a team is quiet, the barrier, and the join at a
// region's end.
//
// The functions are templates over the Team, the Worker and the atomics, because the explorer runs
// them with types of its own (explored_team_test.cpp). The runtime uses them in barrier.cpp,
// fork_join.cpp and linger.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/eligibility.h"
#include "sync/barriers/groups.h"
#include "teff_trace.h"

namespace teff::region {

// Returns true if the team is quiet: every task that was created in the team has finished.
//
// Each member counts the tasks that it created and the tasks that it finished. Threads outside the
// team count the team's tasks that they finished (Team::finished_elsewhere). The sums only grow,
// and `finished` is read before `created`. So if the two sums are equal, no task was outstanding
// between the two reads (Mattern, Distributed Computing 1987). If every member has arrived before,
// the result `true` stays valid: only a task could create a new task, and no task is left.
//
// [quiet-1] Two members that end the last two tasks at the same time must not both miss the other's
//           count. Each member stores its count, then does a read-modify-write before it sleeps
//           (Sleepers::enter), then calls this function. So at least one of them sees both counts.
template <class Team> inline bool quiet(const Team& team, unsigned size) {
    std::uint64_t finished = team.finished_elsewhere.load(std::memory_order_seq_cst); // [quiet-1]
    for (unsigned i = 0; i < size; ++i)
        finished += team.members[i]->finished.load(std::memory_order_acquire); // [quiet-1]
    std::uint64_t created = 0;
    for (unsigned i = 0; i < size; ++i)
        created += team.members[i]->created.load(std::memory_order_acquire); // [quiet-1]
    return finished == created;
}

// The barrier consists of a count of the members that have arrived (sync/barriers/: one counter, or
// one counter for each group of members) and a phase (Team::generation).
//
// The last member to arrive opens the barrier if no tasks are left. Otherwise the barrier is opened
// by the first member that finds the team quiet. That member changes the count from full to 0 (only
// one compare-exchange succeeds), increments the phase, and wakes the sleepers. A waiting member
// never has to act for others, so it may be in a long task or asleep.
//
// [barrier-1] The arrivals form a chain of read-modify-writes on the count ([arrive-1], [climb-1]).
//             The opener stores the word on which a member waits (seq_cst, or release before a
//             seq_cst fence); the member loads this word (seq_cst). So all writes of any member
//             before the barrier are visible to all members after it.
// [barrier-2] The opener stores the word, then looks for sleepers. A sleeper enters the sleepers
//             (read-modify-write), then looks at the word. All four are seq_cst, or a seq_cst fence
//             lies between the two steps of a side. So one of the two sees the other.
// [cancel-1] The same holds for the cancellation of the region: the canceller stores the
//            cancellation, then wakes all members; a sleeper enters the sleepers, then loads the
//            cancellation.

// The two ways to arrive, and to learn that the barrier is open, are CentralWay and CombiningWay.
// CentralWay has one counter, and all members watch the phase itself.
template <class Atomics, class Team> struct CentralWay {
    Team& team;

    sync::barriers::CentralCount<Atomics> count() const { return {team.arrived, team.size}; }
    bool arrive() const { return count().arrive(); }
    bool is_open(std::uint32_t phase) const {
        return team.generation.load(std::memory_order_seq_cst) != phase; // [barrier-1] [barrier-2]
    }
    void open(std::uint32_t phase) const {
        team.generation.store(phase + 1, std::memory_order_seq_cst); // [barrier-1] [barrier-2]
    }
};

// CombiningWay has a counter and a word for each group. It increments the phase before the words,
// because a member whose word has changed may create a task at once ([phase-1]).
template <class Atomics, class Team> struct CombiningWay {
    Team& team;
    unsigned number; // the member's number

    sync::barriers::CombiningCount<Atomics> count() const { return team.groups.count(team.size); }
    sync::barriers::GroupWords<Atomics> words() const { return team.groups.words(team.size); }
    bool arrive() const { return count().arrive(number); }
    bool is_open(std::uint32_t phase) const {
        return words().of(number).load(std::memory_order_seq_cst) == phase + 1; // [barrier-1] [barrier-2]
    }
    void open(std::uint32_t phase) const {
        team.generation.store(phase + 1, std::memory_order_release); // [barrier-1]
        words().raise_all(phase + 1);                                // [barrier-1]
        Atomics::fence_seq_cst();                                    // [barrier-2]
    }
};

// The condition that a barrier in phase `phase` is open; sched/wait.h says what a condition is. If
// `cancellable`, the cancellation of the region also ends the wait.
template <class Atomics, class Team, class Way = CentralWay<Atomics, Team>> struct BarrierOpen : Way {
    std::uint32_t phase;
    bool cancellable;

    bool over() const {
        if (Way::is_open(phase)) return true;
        if (cancellable && Way::team.cancelled.load(std::memory_order_seq_cst)) return true; // [cancel-1]
        return Way::team.has_tasks.load(std::memory_order_relaxed) && try_open_if_quiet();
    }
    bool try_arm() { return true; } // nothing to arm: the opener wakes all sleepers, and the waiter is a sleeper
    void disarm() {}
    void ran_out() {}
    sched::OfPhaseOver<Atomics> eligible() const { return {Way::team.generation, phase}; }

    // A member's arrival, before it waits. Returns true if the member was the last, and has opened
    // the barrier.
    [[nodiscard]] bool arrive() {
        if (!Way::arrive() || Way::team.has_tasks.load(std::memory_order_relaxed)) return false;
        Way::count().empty();
        open();
        return true;
    }

  private:
    void open() const {
        Way::open(phase);
        Way::team.ready.wake_all_if_any(TEFF_WAKE_TEAM);
    }

    bool try_open_if_quiet() const {
        auto count = Way::count();
        if (!count.full() || !quiet(Way::team, Way::team.size) || !count.try_empty()) return false;
        open();
        return true;
    }
};

// The join: the protocol by which the leader of a region learns that its members have ended their
// parts and that no task of the team is left, and by which a member waits for its next place in the
// meantime.
//
// Team::joined counts the members that have ended their implicit tasks. Its bit kLeaderWaits says
// that the leader sleeps and has to be woken.
//
// [join-1] A member adds 1 (acq_rel). If the count is then full and kLeaderWaits is set, the member
//          unparks the leader. The leader sets kLeaderWaits (seq_cst), looks at the count again,
//          then sleeps. Both are read-modify-writes of one word, so one of the two sees the other.
// [join-2] Tasks may end after the last member has joined. The member that ends such a task looks
//          for kLeaderWaits and for a quiet team before it sleeps (wake_leader_if_quiet). By
//          [quiet-1], the leader or that member sees that the team is quiet. The member also looks
//          as soon as it finds no more tasks, before it spins; in most cases it wakes the leader at
//          that point.
// [region-2] A member's join (release) pairs with the leader's look (acquire): all actions of the
//            member in the region happen before the leader's actions after the region.
//
// A lingering member must not read the team's size or leader, because the leader may change both
// for the next region. The member has copies of both in its Worker.
inline constexpr std::uint32_t kLeaderWaits = 1u << 31;

// The condition for which the leader waits; sched/wait.h says what a condition is.
template <class Team> struct AllJoined {
    Team& team;

    bool over() const {
        if ((team.joined.load(std::memory_order_acquire) & ~kLeaderWaits) != team.size - 1) return false; // [region-2]
        return !team.has_tasks.load(std::memory_order_relaxed) || quiet(team, team.size);
    }
    bool try_arm() {
        team.joined.fetch_or(kLeaderWaits, std::memory_order_seq_cst); // [join-1]
        return true;
    }
    void disarm() { team.joined.fetch_and(~kLeaderWaits, std::memory_order_relaxed); }
    void ran_out() {}
    static sched::Everything eligible() { return {}; }
};

// Called by a member when it has ended its part of the region.
template <class Worker, class Team> inline void join(Worker& worker, Team& team) {
    worker.team_phase = team.generation.load(std::memory_order_relaxed);                  // no barrier can open now
    const std::uint32_t joined = team.joined.fetch_add(1, std::memory_order_acq_rel) + 1; // [region-2] [join-1]
    if (joined == (kLeaderWaits | (worker.team_size - 1))) worker.leader->parker.unpark(TEFF_WAKE_JOIN);
}

// Wakes the leader if the leader sleeps at the join, every member has joined and the team is quiet.
// Called by a member that is about to sleep, after its read-modify-write ([quiet-1]).
template <class Worker, class Team> inline void wake_leader_if_quiet(Worker& worker, Team& team) {
    if (team.joined.load(std::memory_order_seq_cst) != (kLeaderWaits | (worker.team_size - 1))) return; // [join-2]
    if (quiet(team, worker.team_size)) worker.leader->parker.unpark(TEFF_WAKE_JOIN);
}

// The condition for which a member waits after it has joined: a letter has arrived, which gives the
// member its next place or sends it away (team/inbox.h).
//
// When the member is about to sleep, or has been woken, it also checks whether a new region has
// begun, because it may have no place in that region. In that case the wait ends, and the member
// waits for its letter outside of the team's Sleepers, since sleepers are woken for tasks that this
// member must not run. If the member misses the start of the region and sleeps among the Sleepers,
// another thread wakes it once unnecessarily.
template <class Atomics, class Worker, class Team> struct LetterArrived {
    Worker& worker;
    Team& team;
    bool region_begun = false;

    bool over() const { return region_begun || worker.inbox.has_letter(); }
    bool try_arm() {
        if (look_for_region() || !worker.inbox.try_fall_asleep()) return false;
        wake_leader_if_quiet(worker, team); // [join-2]
        return true;
    }
    void disarm() {
        worker.inbox.get_up();
        (void)look_for_region();
    }
    void ran_out() { wake_leader_if_quiet(worker, team); } // [join-2]
    sched::OfPhaseOver<Atomics> eligible() const { return {team.generation, worker.team_phase}; }

  private:
    // Relaxed: it does not matter when the member sees the new phase, and the member reads nothing
    // of the new region.
    bool look_for_region() {
        region_begun = team.generation.load(std::memory_order_relaxed) != worker.team_phase;
        return region_begun;
    }
};

} // namespace teff::region
