// SPDX-License-Identifier: Apache-2.0
//
// The central barrier: one counter and one word.
//
// Gather: each member adds 1 to the counter. Whoever makes it full knows that all have entered.
// Release: one word, which all look at.
//
//     count: 0 -> 1 -> ... -> full    each member, by its arrival
//            full -> 0                whoever opens: the last to arrive; or, if tasks are left then,
//                                     who finds none later (a compare-exchange has one winner)
//
// Nobody has a duty while it waits. n arrivals take turns on one line, so the last of n that come
// together waits for n transfers; and so do the readers of the word.
//
// [arrive-1] Arrivals (acq_rel) chain: whoever finds the counter full, by its own arrival or by a
//            look (acquire), has seen what every member did before its own. The reset is relaxed:
//            the release that follows orders it before the next arrivals.
#pragma once

#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// The counter, wherever its word is. `all`: how many make it full.
template <class Atomics> struct CentralCount {
    using Word = typename Atomics::template atomic<std::uint32_t>;

    Word& count;
    unsigned all;

    // True: it was the last.
    [[nodiscard]] bool arrive() { return count.fetch_add(1, std::memory_order_acq_rel) + 1 == all; } // [arrive-1]
    [[nodiscard]] bool full() const { return count.load(std::memory_order_acquire) == all; }         // [arrive-1]
    // Only the last to arrive, or who alone may open.
    void empty() { count.store(0, std::memory_order_relaxed); }
    // Of several that find it full, one.
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
