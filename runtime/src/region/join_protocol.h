// SPDX-License-Identifier: Apache-2.0
//
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
//
// Templates over the Team and the Worker: the explorer runs them with its own. fork_join.cpp and
// linger.cpp are what the runtime calls.
#pragma once

#include "region/quiet.h"
#include "sched/eligibility.h"

namespace teff::region {

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
    if (joined == (kLeaderWaits | (worker.team_size - 1))) worker.leader->parker.unpark();
}

// If the leader sleeps at the join, every member has joined and the team is quiet: wakes it. For a
// member about to sleep, after its read-modify-write ([quiet-1]).
template <class Worker, class Team> inline void wake_leader_if_quiet(Worker& worker, Team& team) {
    if (team.joined.load(std::memory_order_seq_cst) != (kLeaderWaits | (worker.team_size - 1))) return; // [join-2]
    if (quiet(team, worker.team_size)) worker.leader->parker.unpark();
}

// What a member that has joined waits for: its next place, or to be sent away (team/inbox.h).
template <class Atomics, class Worker, class Team> struct LetterArrived {
    Worker& worker;
    Team& team;

    bool over() const { return worker.inbox.has_letter(); }
    bool try_arm() {
        if (!worker.inbox.try_fall_asleep()) return false;
        wake_leader_if_quiet(worker, team); // [join-2]
        return true;
    }
    void disarm() { worker.inbox.get_up(); }
    void ran_out() { wake_leader_if_quiet(worker, team); } // [join-2]
    sched::OfPhaseOver<Atomics> eligible() const { return {team.generation, worker.team_phase}; }
};

} // namespace teff::region
