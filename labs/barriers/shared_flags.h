// SPDX-License-Identifier: Apache-2.0
//
// S-MSB, the shared master-slave barrier of the paper: the leader has a flag for each slave in its
// own memory, and one signal at which all slaves look.
//
// Gather: a slave changes its flag. The leader reads the flags one after the other. Release: the
// leader changes the signal. Flags and signal alternate between 0 and 1 (polarity), so nothing is
// reset. As in the paper, the flags lie side by side, sixteen to a line. The writers of these flags
// contend for the line.
//
// While the leader waits, it has to act for the other members, because no other member knows that
// all have entered.
//
// Accesses to the flags and to the signal follow [flag-1] in two_phase.h. A slave changes its flag
// again only when it arrives in the next round. By then the slave was released, which the leader
// does only after it has read all flags.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

template <class Atomics> class SharedFlagsGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::leader;

    static unsigned lines(const Shape& shape) { return parts_of(shape.members, Line::kWords); }
    SharedFlagsGather(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}

    void collect(unsigned number, Round round) {
        if (number != 0) return;
        for (unsigned slave = 1; slave < members_; ++slave)
            barriers::await<Atomics>(flag(slave), polarity(round));
    }
    void report(unsigned number, Round round) { raise(flag(number), polarity(round)); }

  private:
    typename Line::Word& flag(unsigned number) const {
        return lines_[number / Line::kWords].words[number % Line::kWords];
    }

    Line* lines_;
    unsigned members_;
};

template <class Atomics> class SharedSignalRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::none;

    static unsigned lines(const Shape&) { return 1; }
    SharedSignalRelease(Line* memory, const Shape&) : signal_(memory->words[0]) {}

    void await(unsigned, Round round) { barriers::await<Atomics>(signal_, polarity(round)); }
    void pass_on(unsigned number, Round round) {
        if (number == 0) raise(signal_, polarity(round));
    }

  private:
    typename Line::Word& signal_;
};

} // namespace teff::sync::barriers
