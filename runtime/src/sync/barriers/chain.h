// SPDX-License-Identifier: Apache-2.0
//
// CPB, the chain polarity barrier of the paper: members in a row, each of which looks at words of
// its own alone.
//
// Gather: from the last member down to the leader. Each waits until its upper neighbour has changed
// the word `entered` on this member's line, and then changes that of its lower neighbour. Release:
// from the leader up to the last, the same with the word `signal`. Both alternate between 0 and 1
// (polarity), so nothing is reset.
//
// Two lines move for each member, and no line has more than one writer and one reader; but one
// after the other: both phases take n steps. Members relay: one that sleeps, or is in a task,
// holds up all behind it.
//
// Words are [flag-1] of two_phase.h. A word may take its next value when its writer comes again:
// that is after the round is over, for which its reader must have read it.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

template <class Atomics> class ChainGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    static unsigned lines(const Shape& shape) { return shape.members; }
    ChainGather(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}

    void collect(unsigned number, Round round) {
        if (number + 1 < members_) barriers::await<Atomics>(entered(number), polarity(round));
    }
    void report(unsigned number, Round round) { raise(entered(number - 1), polarity(round)); }

  private:
    typename Line::Word& entered(unsigned number) const { return lines_[number].words[0]; }

    Line* lines_;
    unsigned members_;
};

template <class Atomics> class ChainRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    static unsigned lines(const Shape& shape) { return shape.members; }
    ChainRelease(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}

    void await(unsigned number, Round round) { barriers::await<Atomics>(signal(number), polarity(round)); }
    void pass_on(unsigned number, Round round) {
        if (number + 1 < members_) raise(signal(number + 1), polarity(round));
    }

  private:
    typename Line::Word& signal(unsigned number) const { return lines_[number].words[0]; }

    Line* lines_;
    unsigned members_;
};

} // namespace teff::sync::barriers
