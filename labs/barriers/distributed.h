// SPDX-License-Identifier: Apache-2.0
//
// The distributed barrier, libomp's `dist`: the members form groups, each with a leader.
//
// Gather: a member raises its own flag. The leader of its group reads the flags of the group's
// members and then raises the group's flag. The team's leader reads the flags of the groups.
// Release: the team's leader raises one word for each group's leader. Each group's leader then
// raises the word at which the members of its group look.
//
// The first member of a group is its leader. The flags of a group's members lie side by side,
// sixteen to a line. Leaders pass signals on.
//
// Words count rounds. Accesses to the words follow [flag-1] in two_phase.h: the leader must read
// its members' flags with acquire order, which libomp did not do until 2026.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

template <class Atomics> class DistributedGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    // Each group has a line for its own flag, and lines for the flags of its members.
    static unsigned lines(const Shape& shape) {
        return parts_of(shape.members, shape.fan_in) * (1 + parts_of(shape.fan_in, Line::kWords));
    }
    DistributedGather(Line* memory, const Shape& shape) : lines_(memory), shape_(shape) {}

    void collect(unsigned number, Round round) {
        if (number % shape_.fan_in != 0) return;
        for (unsigned i = 1; i < shape_.fan_in && number + i < shape_.members; ++i)
            barriers::await_round<Atomics>(flag(number + i), round);
        if (number != 0) return;
        for (unsigned first = shape_.fan_in; first < shape_.members; first += shape_.fan_in)
            barriers::await_round<Atomics>(group_flag(first), round);
    }
    void report(unsigned number, Round round) {
        raise(number % shape_.fan_in == 0 ? group_flag(number) : flag(number), round);
    }

  private:
    Line* of_group(unsigned number) const {
        return lines_ + number / shape_.fan_in * (1 + parts_of(shape_.fan_in, Line::kWords));
    }
    typename Line::Word& group_flag(unsigned number) const { return of_group(number)->words[0]; }
    typename Line::Word& flag(unsigned number) const {
        const unsigned place = number % shape_.fan_in;
        return of_group(number)[1 + place / Line::kWords].words[place % Line::kWords];
    }

    Line* lines_;
    Shape shape_;
};

template <class Atomics> class DistributedRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;

    // Each group has a line for its leader, and a line for its members.
    static unsigned lines(const Shape& shape) { return 2 * parts_of(shape.members, shape.fan_in); }
    DistributedRelease(Line* memory, const Shape& shape) : lines_(memory), shape_(shape) {}

    void await(unsigned number, Round round) {
        barriers::await_round<Atomics>(number % shape_.fan_in == 0 ? leaders(number) : members(number), round);
    }
    void pass_on(unsigned number, Round round) {
        if (number % shape_.fan_in != 0) return;
        for (unsigned first = shape_.fan_in; number == 0 && first < shape_.members; first += shape_.fan_in)
            raise(leaders(first), round);
        raise(members(number), round);
    }

  private:
    typename Line::Word& leaders(unsigned number) const { return lines_[2 * (number / shape_.fan_in)].words[0]; }
    typename Line::Word& members(unsigned number) const { return lines_[2 * (number / shape_.fan_in) + 1].words[0]; }

    Line* lines_;
    Shape shape_;
};

} // namespace teff::sync::barriers
