// SPDX-License-Identifier: Apache-2.0
//
// A second interpretation of S-MSB: two arrays of flags in the leader's memory, one for each phase.
//
// The paper says of its earlier barrier only that it had "double arrays" and that reuse needed a
// reset, which polarity avoids (shared_flags.h has one array, one signal and no reset). In this
// file:
//
// Gather: a slave raises its flag in the first array. The leader finds the flag raised, and lowers
// it. Release: the leader raises the slave's flag in the second array. The slave lowers it.
//
// Flags lie side by side, sixteen to a line. While the leader waits, it has to act for the other
// members.
//
// Accesses to the flags follow [flag-1] in two_phase.h. The thread that has found a flag raised
// lowers it (relaxed). The writer raises the flag again only after it knows that the flag was
// lowered: the leader lowers before its release, and a slave lowers before its next entry.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// One array of flags. Each flag belongs to one slave and the leader; only these two access it.
template <class Atomics> class FlagArray {
  public:
    using Line = barriers::Line<Atomics>;

    static unsigned lines(const Shape& shape) { return parts_of(shape.members, Line::kWords); }
    explicit FlagArray(Line* lines) : lines_(lines) {}

    void raise(unsigned slave) { barriers::raise(flag(slave), 1); }
    void await_and_lower(unsigned slave) {
        barriers::await<Atomics>(flag(slave), 1);
        flag(slave).store(0, std::memory_order_relaxed);
    }

  private:
    typename Line::Word& flag(unsigned slave) const { return lines_[slave / Line::kWords].words[slave % Line::kWords]; }

    Line* lines_;
};

template <class Atomics> class DoubleFlagsGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::leader;

    static unsigned lines(const Shape& shape) { return FlagArray<Atomics>::lines(shape); }
    DoubleFlagsGather(Line* memory, const Shape& shape) : flags_(memory), members_(shape.members) {}

    void collect(unsigned number, Round) {
        for (unsigned slave = 1; number == 0 && slave < members_; ++slave)
            flags_.await_and_lower(slave);
    }
    void report(unsigned number, Round) { flags_.raise(number); }

  private:
    FlagArray<Atomics> flags_;
    unsigned members_;
};

template <class Atomics> class DoubleFlagsRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::none;

    static unsigned lines(const Shape& shape) { return FlagArray<Atomics>::lines(shape); }
    DoubleFlagsRelease(Line* memory, const Shape& shape) : flags_(memory), members_(shape.members) {}

    void await(unsigned number, Round) { flags_.await_and_lower(number); }
    void pass_on(unsigned number, Round) {
        for (unsigned slave = 1; number == 0 && slave < members_; ++slave)
            flags_.raise(slave);
    }

  private:
    FlagArray<Atomics> flags_;
    unsigned members_;
};

} // namespace teff::sync::barriers
