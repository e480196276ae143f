// SPDX-License-Identifier: Apache-2.0
//
// The dissemination barrier (Hensgen, Finkel, Manber 1988): in step k each member notifies the
// member 2^k places ahead that it has reached this step, and waits for the member 2^k places
// behind.
//
// After log2 n steps each member has heard of all others, directly or indirectly. So no member
// decides that the barrier is complete, and there is no release phase: the leader's wait() ends
// when the barrier does, and no member waits for the leader's release(). The other members do not
// wait for what the leader does between the two calls.
//
// Each member acts in every step, and no member could check whether tasks are left before the
// others continue. So this barrier is only for the benchmark and for modelled machines.
//
// Words count rounds. Each member has one word for each step. Each word is on a separate line,
// because the steps have different writers. A neighbour may be one round ahead: it knows that this
// member has entered, but not that this member has looked at the neighbour's word. Accesses to the
// words follow [flag-1] in two_phase.h.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

template <class Atomics> class Dissemination {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::all;

    static unsigned lines(const Shape& shape) { return shape.members * steps_of(shape.members); }
    Dissemination(Line* memory, const Shape& shape)
        : lines_(memory), members_(shape.members), steps_(steps_of(shape.members)) {}

    void wait(Round round) { meet(0, round); }
    void release(Round) {}
    void slave_enter(unsigned number, Round round) { meet(number, round); }

  private:
    static unsigned steps_of(unsigned members) {
        unsigned steps = 0;
        while ((1u << steps) < members)
            ++steps;
        return steps;
    }
    typename Line::Word& word(unsigned number, unsigned step) const { return lines_[number * steps_ + step].words[0]; }

    void meet(unsigned number, Round round) {
        for (unsigned step = 0; step < steps_; ++step) {
            raise(word((number + (1u << step)) % members_, step), round);
            barriers::await_round<Atomics>(word(number, step), round);
        }
    }

    Line* lines_;
    unsigned members_, steps_;
};

} // namespace teff::sync::barriers
