// SPDX-License-Identifier: Apache-2.0
//
// The dissemination barrier (Hensgen, Finkel, Manber 1988): in step k each member tells the one
// 2^k places further on that it has come so far, and waits for the one 2^k places behind.
//
// After log2 n steps each member has heard of all, directly or not. So nobody decides, and there is
// no release: the leader's wait() ends when the barrier does, and nobody waits for its release().
// What it does between the two, others do not wait for.
//
// Each member acts in every step, and no member could ask whether tasks are left before the others
// go on: for the benchmark and modelled machines alone.
//
// Words count rounds, one for each member and step. A neighbour may be one round ahead: it has
// heard that this member entered, not that it has looked. Words are [flag-1] of two_phase.h.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

template <class Atomics> class Dissemination {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::all;

    static unsigned lines(const Shape& shape) { return shape.members; }
    Dissemination(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}

    void wait(Round round) { meet(0, round); }
    void release(Round) {}
    void slave_enter(unsigned number, Round round) { meet(number, round); }

  private:
    void meet(unsigned number, Round round) {
        unsigned step = 0;
        for (unsigned distance = 1; distance < members_; distance *= 2, ++step) {
            raise(lines_[(number + distance) % members_].words[step], round);
            barriers::await_round<Atomics>(lines_[number].words[step], round);
        }
    }

    Line* lines_;
    unsigned members_;
};

} // namespace teff::sync::barriers
