// SPDX-License-Identifier: Apache-2.0
//
// C-LUTB, the chain LUT polarity barrier of the paper. Each member has one word. On the SCC this
// word is an entry of the core's look-up table, which is never cached.
//
// Gather: proceeds along a chain from the last member down to the leader. Each member changes its
// own word, and its lower neighbour looks at this word. Release: the last member's word does not
// have to report the entries of other members, so the leader uses this word for the release. All
// slaves look at it.
//
//     bit 0 of member i's word           alternates: i and all above it have entered   by member i
//     bit 1 of the last member's word    alternates: released                          by the leader
//
// The leader and the last member write the last word alternately, and each writes the whole word:
// the leader after it has gathered, the last member when it enters the next round after its
// release. A waiting member checks only the bit for which it waits: when a slave has not yet seen
// its release, the last member may already have written bit 0 of the next round.
//
// Members pass on messages during the gathering, but not during the release. In this implementation
// each word has a separate cache line, and is cached. Accesses to the words follow [flag-1] in
// two_phase.h.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// Gather and Release share the last word. So this is one class, and not two classes to be combined.
template <class Atomics> class ChainLut {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    static unsigned lines(const Shape& shape) { return shape.members; }
    ChainLut(Line* memory, const Shape& shape) : lines_(memory), last_(shape.members - 1) {}

    void wait(Round round) {
        if (last_ != 0) await_bit(1, kEntered, round);
    }
    void release(Round round) {
        if (last_ != 0) raise(word(last_), bit(kEntered, round) | bit(kReleased, round));
    }
    void slave_enter(unsigned number, Round round) {
        if (number != last_) await_bit(number + 1, kEntered, round);
        raise(word(number), bit(kEntered, round) | bit(kReleased, round - 1));
        await_bit(last_, kReleased, round);
    }

  private:
    static constexpr std::uint32_t kEntered = 1, kReleased = 2;

    static std::uint32_t bit(std::uint32_t which, Round round) { return which * polarity(round); }
    void await_bit(unsigned number, std::uint32_t which, Round round) const {
        while ((word(number).load(std::memory_order_acquire) & which) != bit(which, round)) // [flag-1]
            Atomics::cpu_relax();
    }
    typename Line::Word& word(unsigned number) const { return lines_[number].words[0]; }

    Line* lines_;
    unsigned last_;
};

} // namespace teff::sync::barriers
