// SPDX-License-Identifier: Apache-2.0
//
// The combining barrier: a counter for each group of members that are close to each other, and one
// counter for the groups (the top counter). The last member to arrive in a group counts the group
// at the top.
//
//     group:  0 -> 1 -> ... -> size of group    each member of the group, by its arrival
//             size of group -> 0                the last of them, before it counts at the top
//     top:    0 -> 1 -> ... -> groups           the last member of each group
//             groups -> 0                       the member that opens, as with the central counter
//
// If there is only one group, its members directly count at the top.
//
// Release: each group has a word on its own cache line. The member that opens the barrier writes
// all these words.
//
// A waiting member never has to act for others: the top counter is updated by the last member of a
// group to arrive, and the member that opens the barrier writes to all groups itself, never through
// a member that may be asleep or in a task. With n members in groups of g, an arrival contends with
// g - 1 others for a nearby cache line, and the last member of each group contends with n / g
// others for a distant one.
//
// [climb-1] Arrivals in a group (acq_rel) form a chain, and so do those at the top: a member that
//           finds the top full sees all writes that any member made before its arrival. The reset
//           of a group is relaxed: the count at the top that follows (release) orders it before the
//           opening, and the opening is ordered before the next arrivals.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// The counters: one line for the top, and one for each group. `uncounted`: the number of members of
// the first group that do not arrive (1 if the leader only waits).
template <class Atomics> struct CombiningCount {
    using Line = barriers::Line<Atomics>;

    Line* lines;
    Shape shape;
    unsigned uncounted = 0;

    static unsigned lines_for(const Shape& shape) { return 1 + parts_of(shape.members, shape.fan_in); }

    unsigned groups() const { return parts_of(shape.members, shape.fan_in); }
    // Returns the number of members of the group that arrive.
    unsigned size_of(unsigned group) const {
        const unsigned first = group * shape.fan_in;
        const unsigned rest = shape.members - first;
        return (rest < shape.fan_in ? rest : shape.fan_in) - (group == 0 ? uncounted : 0);
    }

    // Returns the number of arrivals that make the top full.
    unsigned at_top() const { return groups() == 1 ? size_of(0) : groups(); }

    // Counts the arrival of member `number`. Returns true if it was the last arrival of all.
    [[nodiscard]] bool arrive(unsigned number) {
        if (groups() != 1 && !is_last_of_group(number / shape.fan_in)) return false;
        return top().fetch_add(1, std::memory_order_acq_rel) + 1 == at_top(); // [climb-1]
    }
    [[nodiscard]] bool full() const { return top().load(std::memory_order_acquire) == at_top(); } // [climb-1]
    void empty() { top().store(0, std::memory_order_relaxed); }
    [[nodiscard]] bool try_empty() {
        std::uint32_t expected = at_top();
        return top().compare_exchange_strong(expected, 0, std::memory_order_acq_rel, // [climb-1]
                                             std::memory_order_relaxed);
    }
    // Resets all counters. Called after a round that was abandoned, before the first arrival of the
    // next round.
    void forget() {
        for (unsigned i = 0; i <= groups(); ++i)
            lines[i].words[0].store(0, std::memory_order_relaxed);
    }

    // Counts an arrival in the group. If it was the last, resets the counter and returns true.
    [[nodiscard]] bool is_last_of_group(unsigned group) {
        auto& count = lines[1 + group].words[0];
        if (count.fetch_add(1, std::memory_order_acq_rel) + 1 != size_of(group)) return false; // [climb-1]
        count.store(0, std::memory_order_relaxed);
        return true;
    }
    typename Line::Word& top() const { return lines[0].words[0]; }
};

// The release words, one for each group.
template <class Atomics> struct GroupWords {
    using Line = barriers::Line<Atomics>;

    Line* lines;
    Shape shape;

    static unsigned lines_for(const Shape& shape) { return parts_of(shape.members, shape.fan_in); }

    typename Line::Word& of(unsigned number) const { return lines[number / shape.fan_in].words[0]; }
    void raise_all(std::uint32_t value) const {
        for (unsigned group = 0; group < lines_for(shape); ++group)
            raise(lines[group].words[0], value);
    }
};

template <class Atomics> class CombiningGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::none;

    static unsigned lines(const Shape& shape) { return CombiningCount<Atomics>::lines_for(shape); }
    CombiningGather(Line* memory, const Shape& shape) : count_{memory, shape, 1} {}

    // Returns at once in a team of one, in which no member arrives.
    void collect(unsigned number, Round) {
        if (number != 0 || count_.shape.members == 1) return;
        while (!count_.full())
            Atomics::cpu_relax();
        count_.empty();
    }
    void report(unsigned number, Round) { static_cast<void>(count_.arrive(number)); }

  private:
    CombiningCount<Atomics> count_;
};

template <class Atomics> class CombiningRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::none;

    static unsigned lines(const Shape& shape) { return GroupWords<Atomics>::lines_for(shape); }
    CombiningRelease(Line* memory, const Shape& shape) : words_{memory, shape} {}

    void await(unsigned number, Round round) { barriers::await_round<Atomics>(words_.of(number), round); }
    void pass_on(unsigned number, Round round) {
        if (number == 0) words_.raise_all(round);
    }

  private:
    GroupWords<Atomics> words_;
};

} // namespace teff::sync::barriers
