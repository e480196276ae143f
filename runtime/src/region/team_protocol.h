// SPDX-License-Identifier: Apache-2.0
//
// How the members of a team learn that all have arrived and no task is left: the sums that tell a
// quiet team, the barrier, and the join at a region's end.
//
// Templates over the Team, the Worker and the atomics: the explorer runs them with its own
// (explored_team_test.cpp). barrier.cpp, fork_join.cpp and linger.cpp are what the runtime calls.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/eligibility.h"
#include "sync/barriers/groups.h"
#include "teff_trace.h"

namespace teff::region {

// Quiet: has every task that was created in the team finished?
//
// Each member counts what it created and what it finished, threads outside the team what they
// finished (Team::finished_elsewhere). The sums only grow, and `finished` is read first: if
// `created` as read later is no larger, no task was outstanding in between (Mattern, Distributed
// Computing 1987). So the answer is exact if it is yes and every member has arrived: no one is left
// then who could create a task without being one.
//
// [quiet-1] Two members that end the last tasks at the same time must not both miss the other's
//           count: each stores its count and then, before it sleeps, does a read-modify-write
//           (Sleepers::enter) and looks here; one of them sees both.
template <class Team> inline bool quiet(const Team& team, unsigned size) {
    std::uint64_t finished = team.finished_elsewhere.load(std::memory_order_seq_cst); // [quiet-1]
    for (unsigned i = 0; i < size; ++i)
        finished += team.members[i]->finished.load(std::memory_order_acquire); // [quiet-1]
    std::uint64_t created = 0;
    for (unsigned i = 0; i < size; ++i)
        created += team.members[i]->created.load(std::memory_order_acquire); // [quiet-1]
    return finished == created;
}

// The barrier: who has arrived (sync/barriers/: one counter, or one for each group of members), and
// a phase (Team::generation).
//
// The last to arrive opens it; or, if tasks are left then, whoever finds the team quiet: it takes
// the count from full to 0 (one compare-exchange wins), raises the phase, and wakes who sleeps.
// Nobody has a duty while it waits, so that a member may be in a long task, or asleep.
//
// [barrier-1] The count's arrivals chain ([arrive-1], [climb-1]); the opener's store of the word
//             that a member looks at (seq_cst, or before a fence) pairs with its load (acquire):
//             what any member did before the barrier is seen by all after it.
// [barrier-2] opener: store the word, look for sleepers; sleeper: enter (read-modify-write), look
//             at the word. All seq_cst, or with such a fence between the two: one of the two sees
//             the other.
// [cancel-1] the same for the cancellation of the region: store it, wake all; enter, look.

// Ways to arrive and to be told. One counter, and all look at the phase itself.
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

// A counter for each group, and a word for each. The phase goes up first: a member that is told
// may create a task at once ([phase-1]).
template <class Atomics, class Team> struct CombiningWay {
    Team& team;
    unsigned number; // of the member

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

// Of a barrier in this phase; see sched/wait.h for what a condition is. In a cancellable one the
// region's cancellation ends the wait, too.
template <class Atomics, class Team, class Way = CentralWay<Atomics, Team>> struct BarrierOpen : Way {
    std::uint32_t phase;
    bool cancellable;

    bool over() const {
        if (Way::is_open(phase)) return true;
        if (cancellable && Way::team.cancelled.load(std::memory_order_seq_cst)) return true; // [cancel-1]
        return Way::team.has_tasks.load(std::memory_order_relaxed) && try_open_if_quiet();
    }
    bool try_arm() { return true; } // the opener wakes all sleepers, so being one is enough
    void disarm() {}
    void ran_out() {}
    sched::OfPhaseOver<Atomics> eligible() const { return {Way::team.generation, phase}; }

    // A member's arrival, before it waits. True: it was the last, and has opened the barrier.
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

// The join: how the leader of a region learns that its members have ended their parts and that no
// task of the team is left; and how a member waits for its next place meanwhile.
//
// Team::joined counts the members past their implicit task; kLeaderWaits in it says that the leader
// sleeps and wants to be woken.
// [join-1] member: add 1 (acq_rel); full and kLeaderWaits: unpark the leader. Leader: set
//          kLeaderWaits (seq_cst), look again, sleep. Both are read-modify-writes of one word, so
//          one of them sees the other.
// [join-2] tasks that end after the last member has joined: the member that ends one looks for
//          kLeaderWaits and a quiet team before it sleeps (wake_leader_if_quiet); with [quiet-1]
//          the leader or that member sees that the team is quiet. It also looks as soon as it finds
//          no more tasks, before it spins: mostly that is when the leader is woken.
// [region-2] a member's join (release) pairs with the leader's look (acquire): what the member has
//            done in the region comes before what the leader does after it.
//
// A lingering member may not read the team's size or leader, which may change for the next region:
// it has noted them in its Worker.
inline constexpr std::uint32_t kLeaderWaits = 1u << 31;

// What the leader waits for; see sched/wait.h for what a condition is.
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

// A member has ended its part of the region.
template <class Worker, class Team> inline void join(Worker& worker, Team& team) {
    worker.team_phase = team.generation.load(std::memory_order_relaxed); // no barrier opens without this member
    const std::uint32_t joined = team.joined.fetch_add(1, std::memory_order_acq_rel) + 1; // [region-2] [join-1]
    if (joined == (kLeaderWaits | (worker.team_size - 1))) worker.leader->parker.unpark(TEFF_WAKE_JOIN);
}

// If the leader sleeps at the join, every member has joined and the team is quiet: wakes it. For a
// member about to sleep, after its read-modify-write ([quiet-1]).
template <class Worker, class Team> inline void wake_leader_if_quiet(Worker& worker, Team& team) {
    if (team.joined.load(std::memory_order_seq_cst) != (kLeaderWaits | (worker.team_size - 1))) return; // [join-2]
    if (quiet(team, worker.team_size)) worker.leader->parker.unpark(TEFF_WAKE_JOIN);
}

// What a member that has joined waits for: its next place, or to be sent away (team/inbox.h). Or,
// if it is about to sleep, or has been woken, to see that a region has begun meanwhile: it may have
// no place in that one. Then it goes aside, and waits for its letter outside of the team's
// Sleepers, who are woken for tasks that it may not run. It may miss the new region and sleep among
// them: then somebody wakes it for nothing, once.
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
    // Relaxed: nothing hangs on when it sees the phase, and it reads nothing of that region.
    bool look_for_region() {
        region_begun = team.generation.load(std::memory_order_relaxed) != worker.team_phase;
        return region_begun;
    }
};

} // namespace teff::region
