// SPDX-License-Identifier: Apache-2.0
//
// The tree barrier of Mellor-Crummey and Scott (1991). A tree with four children per member
// gathers, and a tree with two children per member releases.
//
// Gather: member i waits for its children 4i+1 ... 4i+4, each of which has a word on member i's
// line. Then it writes its own word on its parent's line. Release: member i waits for its own word,
// and then writes the words of its children 2i+1 and 2i+2.
//
// 2n-2 lines move, along paths of log4 n and log2 n steps. Each member looks only at its own lines.
// Inner members pass signals on, so a member that sleeps, or is in a task, delays all members below
// it.
//
// Words count rounds. Accesses to the words follow [flag-1] in two_phase.h.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

template <class Atomics> class McsGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;
    static constexpr unsigned kChildren = 4;

    static unsigned lines(const Shape& shape) { return shape.members; }
    McsGather(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}

    void collect(unsigned number, Round round) {
        for (unsigned i = 0; i < kChildren && kChildren * number + i + 1 < members_; ++i)
            barriers::await_round<Atomics>(lines_[number].words[i], round);
    }
    void report(unsigned number, Round round) {
        raise(lines_[(number - 1) / kChildren].words[(number - 1) % kChildren], round);
    }

  private:
    Line* lines_;
    unsigned members_;
};

template <class Atomics> class McsRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;
    static constexpr unsigned kChildren = 2;

    static unsigned lines(const Shape& shape) { return shape.members; }
    McsRelease(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}

    void await(unsigned number, Round round) { barriers::await_round<Atomics>(lines_[number].words[0], round); }
    void pass_on(unsigned number, Round round) {
        for (unsigned i = 1; i <= kChildren && kChildren * number + i < members_; ++i)
            raise(lines_[kChildren * number + i].words[0], round);
    }

  private:
    Line* lines_;
    unsigned members_;
};

} // namespace teff::sync::barriers
