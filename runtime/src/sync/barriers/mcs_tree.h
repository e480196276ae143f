// SPDX-License-Identifier: Apache-2.0
//
// The tree barrier of Mellor-Crummey and Scott (1991): gathered by a tree of four children,
// released by a tree of two.
//
// Gather: a member waits for its children 4i+1 ... 4i+4, each of which has a word on its line, and
// then writes the word that it has on its parent's. Release: a member waits for its own word, and
// then writes those of its children 2i+1 and 2i+2.
//
// 2n-2 lines move, along ways of log4 n and log2 n steps; each member looks at its own line alone.
// Inner members relay: one that sleeps, or is in a task, holds up all below it.
//
// Words count rounds. They are [flag-1] of two_phase.h.
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
