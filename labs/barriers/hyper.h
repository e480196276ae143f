// SPDX-License-Identifier: Apache-2.0
//
// The hyper barrier, libomp's default: a hypercube with four members along each edge, used as a
// tree.
//
// The level of a member is the number of trailing 0 digits of its number in base 4. Gather: on each
// level below its own, a member waits for the up to three members that differ from it in this
// level's digit. Then it reports to the member that has 0 in the digit of its own level. Release:
// signals pass along the same edges in the opposite direction, the highest level first. Each member
// writes to its own line when it gathers, and is released on its own line.
//
// Inner members pass signals on in both phases. Words count rounds. Accesses to the words follow
// [flag-1] in two_phase.h.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

struct HyperTree {
    static constexpr unsigned kEdge = 4;

    unsigned members;

    // Returns the stride (a power of 4) of the level on which the member reports. The leader
    // reports on no level: for the leader, returns the first power of 4 that is not below
    // `members`.
    unsigned own_stride(unsigned number) const {
        unsigned stride = 1;
        while (stride < members && number / stride % kEdge == 0)
            stride *= kEdge;
        return stride;
    }
    // Calls visit(child) for each member that reports to `number` on the level with this stride.
    template <class Visit> void children(unsigned number, unsigned stride, Visit&& visit) const {
        for (unsigned i = 1; i < kEdge && number + i * stride < members; ++i)
            visit(number + i * stride);
    }
};

template <class Atomics> class HyperGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    static unsigned lines(const Shape& shape) { return shape.members; }
    HyperGather(Line* memory, const Shape& shape) : lines_(memory), tree_{shape.members} {}

    void collect(unsigned number, Round round) {
        const unsigned end = tree_.own_stride(number);
        for (unsigned stride = 1; stride < end; stride *= HyperTree::kEdge)
            tree_.children(number, stride,
                           [&](unsigned child) { barriers::await_round<Atomics>(lines_[child].words[0], round); });
    }
    void report(unsigned number, Round round) { raise(lines_[number].words[0], round); }

  private:
    Line* lines_;
    HyperTree tree_;
};

template <class Atomics> class HyperRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    static unsigned lines(const Shape& shape) { return shape.members; }
    HyperRelease(Line* memory, const Shape& shape) : lines_(memory), tree_{shape.members} {}

    void await(unsigned number, Round round) { barriers::await_round<Atomics>(lines_[number].words[0], round); }
    void pass_on(unsigned number, Round round) {
        for (unsigned stride = tree_.own_stride(number) / HyperTree::kEdge; stride != 0; stride /= HyperTree::kEdge)
            tree_.children(number, stride, [&](unsigned child) { raise(lines_[child].words[0], round); });
    }

  private:
    Line* lines_;
    HyperTree tree_;
};

} // namespace teff::sync::barriers
