// SPDX-License-Identifier: Apache-2.0
//
// TwoPhase: the common structure of the barriers of the family, and their composition from two
// phases.
//
// A barrier has two phases, as in Al-Khalissi et al., "An approach for supporting OpenMP on the
// Intel SCC". The leader (member 0) gathers the other members (the slaves). It may then do work of
// its own, and releases the slaves:
//
//     leader: wait(round); ...; release(round)        slave: slave_enter(number, round)
//
// Each phase is a separate class. There is one file for each algorithm, and any Gather can be
// combined with any Release:
//
//     Gather::collect(number, round)    waits for the members whose entry this member passes on
//     Gather::report(number, round)     passes on its own entry and theirs; not called by the leader
//     Release::await(number, round)     waits until this member is released; not called by the leader
//     Release::pass_on(number, round)   releases the members that wait for this member
//
// Each member counts rounds for itself, from 1. Nothing is reset between rounds unless the file of
// an algorithm says so. All words start at 0.
//
// A wait in collect() or await() is a plain loop: a member in this loop runs no tasks and does not
// sleep. A member with a duty (kDuties) acts for others only while it is itself in such a loop. For
// this reason TEFF_BARRIER offers only the algorithms without a duty, central.h and combining.h,
// through region/team_protocol.h.
//
// Flags are words in cache lines that the caller owns. The function `lines` of a class returns the
// number of lines that the class needs.
// [flag-1] raise (release) pairs with await (acquire): a member that finds a flag raised sees all
//          earlier writes of the raising member. Each member passes on what it has seen, so all
//          released members see these writes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::sync::barriers {

using Round = std::uint32_t;

// The members that act for others while they wait, ordered from few to all.
enum class Duties : std::uint8_t {
    none,   // none: the last member to arrive acts
    leader, // the leader alone
    relays, // some members pass on what others report
    all,    // every member, in each step
};

template <class Atomics> struct alignas(base::kCacheLine) Line {
    static constexpr unsigned kWords = base::kCacheLine / sizeof(std::uint32_t);
    using Word = typename Atomics::template atomic<std::uint32_t>;

    Word words[kWords] = {};
};

// Returns the number of parts, of up to `each` elements, that are needed for `count` elements.
inline constexpr unsigned parts_of(unsigned count, unsigned each) { return (count + each - 1) / each; }

template <class Word> inline void raise(Word& word, std::uint32_t value) {
    word.store(value, std::memory_order_release); // [flag-1]
}

// Returns when the word is `value`. For words that alternate: before a member writes the next
// value, it knows that all readers have read this value.
template <class Atomics, class Word> inline void await(const Word& word, std::uint32_t value) {
    while (word.load(std::memory_order_acquire) != value) // [flag-1]
        Atomics::cpu_relax();
}

// Returns when the word has reached `round`. For words that count rounds, which may already be past
// `round`.
template <class Atomics, class Word> inline void await_round(const Word& word, Round round) {
    while (static_cast<std::int32_t>(word.load(std::memory_order_acquire) - round) < 0) // [flag-1]
        Atomics::cpu_relax();
}

// Returns the value of an alternating flag in this round. Such a flag has one bit and needs no
// reset.
inline constexpr std::uint32_t polarity(Round round) { return round & 1; }

// The shape of a team, which all its members know.
struct Shape {
    unsigned members = 1;
    unsigned fan_in = 8; // members of a group, in algorithms with groups
};

template <class Gather, class Release> class TwoPhase {
  public:
    using Line = typename Gather::Line;
    static constexpr Duties kDuties = std::max(Gather::kDuties, Release::kDuties);

    static unsigned lines(const Shape& shape) { return Gather::lines(shape) + Release::lines(shape); }

    TwoPhase(Line* memory, const Shape& shape)
        : gather_(memory, shape), release_(memory + Gather::lines(shape), shape) {}

    // Called by the leader. Returns when all others have entered.
    void wait(Round round) { gather_.collect(0, round); }
    // Called by the leader, after wait. Releases the others.
    void release(Round round) { release_.pass_on(0, round); }
    // Called by every other member. Returns when the member is released.
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
