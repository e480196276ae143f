// SPDX-License-Identifier: Apache-2.0
//
// C-LUTB, the chain LUT polarity barrier of the paper: one word for each member, which on the SCC
// is an entry of its core's look-up table, never cached.
//
// Gather: the chain, from the last member down to the leader; each changes its own word, and its
// lower neighbour looks at that. Release: the last member's word has nobody else to report for, so
// the leader releases with it; all slaves look at it.
//
//     bit 0 of member i's word     alternates: i has entered, and so have all above     by member i
//     bit 1 of the last one's      alternates: released                                 by the leader
//
// The two write the last word in turns, each the whole of it: the leader when it has gathered, the
// last member when it was released. Who waits looks at its bit alone: the last member may be back
// with the next round's bit 0 before another slave has seen its release.
//
// Members pass messages on while they gather, but not while they are released. Here a word is a
// cache line, and cached. Words are [flag-1] of two_phase.h.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// Gather and release share the last word, so they are one barrier and not two classes to combine.
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
