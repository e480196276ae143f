// SPDX-License-Identifier: Apache-2.0
//
// The central barrier: one counter and one word.
//
// Gather: each arriving member adds 1 to the counter. The member that makes the counter full knows
// that all have arrived. (In CentralGather the leader waits and does not arrive.) Release: all
// members watch one word.
//
//     count: 0 -> 1 -> ... -> full    each member, by its arrival
//            full -> 0                the member that opens the barrier: the last to arrive, if no
//                                     task is left at that time; otherwise a member that later finds
//                                     no task left (by a compare-exchange, so exactly one member
//                                     opens)
//
// A waiting member never has to act for others. All n arrivals contend for one cache line: if n
// members arrive together, the last of them waits for n transfers of the line. The readers of the
// word contend for its cache line in the same way.
//
// [arrive-1] Arrivals (acq_rel) form a chain. A member that finds the counter full, by its own
//            arrival or by a load (acquire), sees all writes that any member made before its
//            arrival. The reset is relaxed, because the release that follows orders it before the
//            next arrivals.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// The operations on the counter, whose word may be anywhere. `all`: the number of arrivals that
// make the counter full.
template <class Atomics> struct CentralCount {
    using Word = typename Atomics::template atomic<std::uint32_t>;

    Word& count;
    unsigned all;

    // Counts an arrival. Returns true if it was the last one.
    [[nodiscard]] bool arrive() { return count.fetch_add(1, std::memory_order_acq_rel) + 1 == all; } // [arrive-1]
    [[nodiscard]] bool full() const { return count.load(std::memory_order_acquire) == all; }         // [arrive-1]
    // Resets the full counter. Called by the last member to arrive, or by the only member that may
    // open the barrier.
    void empty() { count.store(0, std::memory_order_relaxed); }
    // Resets the counter if it is full. If several members call this, exactly one gets true.
    [[nodiscard]] bool try_empty() {
        std::uint32_t expected = all;
        return count.compare_exchange_strong(expected, 0, std::memory_order_acq_rel, // [arrive-1]
                                             std::memory_order_relaxed);
    }
};

template <class Atomics> class CentralGather {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::none;

    static unsigned lines(const Shape&) { return 1; }
    CentralGather(Line* memory, const Shape& shape) : count_{memory->words[0], shape.members - 1} {}

    void collect(unsigned number, Round) {
        if (number != 0) return;
        while (!count_.full())
            Atomics::cpu_relax();
        count_.empty();
    }
    void report(unsigned, Round) { static_cast<void>(count_.arrive()); }

  private:
    CentralCount<Atomics> count_;
};

template <class Atomics> class CentralRelease {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::none;

    static unsigned lines(const Shape&) { return 1; }
    CentralRelease(Line* memory, const Shape&) : word_(memory->words[0]) {}

    void await(unsigned, Round round) { barriers::await_round<Atomics>(word_, round); }
    void pass_on(unsigned number, Round round) {
        if (number == 0) raise(word_, round);
    }

  private:
    typename Line::Word& word_;
};

} // namespace teff::sync::barriers
