// SPDX-License-Identifier: Apache-2.0
//
// TwoPhase: what the barriers of the family have in common, and how they are put together.
//
// A barrier has two phases, as in Al-Khalissi et al., "An approach for supporting OpenMP on the
// Intel SCC": the leader (member 0) gathers the others, may do work of its own, and releases them:
//
//     leader: wait(round); ...; release(round)        slave: slave_enter(number, round)
//
// Each phase is a class of its own, one file for each algorithm, and any gathering goes with any
// release:
//
//     Gather::collect(number, round)    waits for those whose entry this member passes on
//     Gather::report(number, round)     passes its own and theirs on; not the leader
//     Release::await(number, round)     waits until this member is released; not the leader
//     Release::pass_on(number, round)   releases those that wait for this member
//
// Rounds count from 1, by each member for itself. Nothing is reset between them unless the file
// says so. All words start at 0.
//
// A wait in a collect() or an await() is a plain loop: a member that does so runs no tasks and
// does not sleep. What it does there for others, it does only while it waits there itself: such a
// duty is what keeps most of the family from programs (kDuties). Those without one, central.h and
// combining.h, are what TEFF_BARRIER offers, through region/team_protocol.h; all others are for
// the benchmark and for modelled machines.
//
// Flags are words in lines that the caller owns: how many, the class says (lines).
// [flag-1] raise (release) pairs with await (acquire): what a member did before it raised a flag is
//          seen by whoever has found it raised, and, as each passes on what it has found, by all
//          that are released.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::sync::barriers {

using Round = std::uint32_t;

// Who has something to do for others while it waits; from few to all.
enum class Duties : std::uint8_t {
    none,   // nobody: whoever comes last does it
    leader, // the leader alone
    relays, // members pass on what others tell them
    all,    // every member, in each step
};

template <class Atomics> struct alignas(base::kCacheLine) Line {
    static constexpr unsigned kWords = base::kCacheLine / sizeof(std::uint32_t);
    using Word = typename Atomics::template atomic<std::uint32_t>;

    Word words[kWords] = {};
};

inline constexpr unsigned parts_of(unsigned count, unsigned each) { return (count + each - 1) / each; }

template <class Word> inline void raise(Word& word, std::uint32_t value) {
    word.store(value, std::memory_order_release); // [flag-1]
}

// Returns when the word is `value`. For words that alternate: who writes the next value has seen
// that all have read this one.
template <class Atomics, class Word> inline void await(const Word& word, std::uint32_t value) {
    while (word.load(std::memory_order_acquire) != value) // [flag-1]
        Atomics::cpu_relax();
}

// Returns when the word has come to `round`. For words that count, which may be further already.
template <class Atomics, class Word> inline void await_round(const Word& word, Round round) {
    while (static_cast<std::int32_t>(word.load(std::memory_order_acquire) - round) < 0) // [flag-1]
        Atomics::cpu_relax();
}

// Of a flag that alternates, in this round: it needs no reset, and is one bit.
inline constexpr std::uint32_t polarity(Round round) { return round & 1; }

// What the members of a team know of its shape.
struct Shape {
    unsigned members = 1;
    unsigned fan_in = 8; // members of a group, where there are groups
};

template <class Gather, class Release> class TwoPhase {
  public:
    using Line = typename Gather::Line;
    static constexpr Duties kDuties = std::max(Gather::kDuties, Release::kDuties);

    static unsigned lines(const Shape& shape) { return Gather::lines(shape) + Release::lines(shape); }

    TwoPhase(Line* memory, const Shape& shape)
        : gather_(memory, shape), release_(memory + Gather::lines(shape), shape) {}

    // The leader: all others have entered.
    void wait(Round round) { gather_.collect(0, round); }
    // The leader, after wait.
    void release(Round round) { release_.pass_on(0, round); }
    // Every other member.
    void slave_enter(unsigned number, Round round) {
        gather_.collect(number, round);
        gather_.report(number, round);
        release_.await(number, round);
        release_.pass_on(number, round);
    }

  private:
    Gather gather_;
    Release release_;
};

} // namespace teff::sync::barriers
