// SPDX-License-Identifier: Apache-2.0
//
// CPB, the chain polarity barrier of the paper: the members form a row, and each member looks only
// at words on its own lines.
//
// Gather: proceeds from the last member down to the leader. Each member waits until its upper
// neighbour has changed the word `entered` on this member's line, and then changes the word of its
// lower neighbour. Release: proceeds from the leader up to the last member, in the same way with
// the word `signal`. Both words alternate between 0 and 1 (polarity), so nothing is reset.
//
// Two lines move for each member, and no line has more than one writer and one reader. But the
// lines move one after the other, so each phase takes n steps. Members pass signals on, so a member
// that sleeps, or is in a task, delays all members behind it.
//
// Accesses to the words follow [flag-1] in two_phase.h. A writer changes a word again only in its
// next round. By then the previous round has ended, so the reader must have read the word.
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
