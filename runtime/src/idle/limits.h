// SPDX-License-Identifier: Apache-2.0
//
// Limits: how long the runtime's threads look for work, yield and nap before they sleep. All of
// these numbers stand here, each with the measurement behind it, or with the word that it is
// chosen. The folder's other files decide by them; whoever waits elsewhere (loops, locks) takes
// them from here, too.
//
// Times are in nanoseconds. Code that counts in ticks converts by in_ticks, at the rate that the
// constructor has measured. The measurements: virtual machines with two processors, AMD Zen 4 and
// 5, November 2026, unless another is named.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace teff::idle {

// ---- spinning: no more threads are at work than the process has processors ----

// Longer than a wake-up takes where it need not wake a processor (5 to 10 us), so that regions and
// barriers that follow each other closely never sleep; far below what a person or a neighbour on
// the machine would notice.
inline constexpr std::uint64_t kBriefSpin_ns = 20'000;
// A few times what it costs to wake a thread on an idle processor: 15 to 75 us. Without long
// spins, regions with pauses of 60 us between them take 76 us instead of 4.
inline constexpr std::uint64_t kLongSpin_ns = 200'000;

// ---- yielding: more threads are at work than there are processors ----

// Enough for every teammate on this processor to have had its turn a few times; some microseconds
// if nobody else is there.
inline constexpr unsigned kMostYields = 8;
// A thread that was off its processor for so long was so for an unrelated thread: a time slice is
// longer (3 ms where this was measured), what passes between two threads that meet at a barrier is
// shorter.
inline constexpr std::uint64_t kLongAbsence_ns = 400'000;
// How long nobody yields, or spins long, after that. If unrelated threads are still there, each
// pause is twice as long as the last one, until they get one part in kPauseFactor of a processor's
// time.
inline constexpr std::uint64_t kFirstPause_ns = 800'000;
inline constexpr std::uint64_t kPauseFactor = 100;

// ---- moving off the leader's processor ----

// So many times in a row a worker goes on where its leader has given way, before it moves.
inline constexpr unsigned kTimesBeside = 3;
// Between two moves, at first and at last. Chosen.
inline constexpr std::uint64_t kFirstStay_ns = 1'000'000;
inline constexpr std::uint64_t kLongestStay_ns = 100'000'000;

// ---- sleeping where there is work that may not be run ----

// The first nap is about as long as the wake-up that it spares takes. The longest one is chosen.
inline constexpr std::uint64_t kFirstNap_ns = 20'000, kLongestNap_ns = 10'000'000;

// ---- loops and locks: they look at one word, and then sleep on it ----

// A look takes a few tens of nanoseconds: these are about 10 us, and less than a switch of threads.
inline constexpr unsigned kLooks = 300, kLooksInACrowd = 10;
inline unsigned looks(bool may_spin) { return may_spin ? kLooks : kLooksInACrowd; }
// A lock that is released goes to whoever comes next, unless a waiter has waited for so long, and
// then not again before ten times as long has passed. Chosen: less than a time slice.
inline constexpr std::uint64_t kPatience_ns = 800'000;

// ---- the clock ----

// Ticks as many as there are in `ns` nanoseconds, to 1 %: at 2.5 ticks a nanosecond until the rate
// is known.
base::Ticks in_ticks(std::uint64_t ns);

// ---- what the program and its environment have chosen ----

// A worker spins briefly, unless its last sleep was so short that a longer spin would have spared
// it. Then it spins long, until a long spin finds nothing. So a rhythm of short pauses is met
// without sleeping, and a team that falls idle burns one long spin at most.
struct SpinTicks {
    base::Ticks brief;  // TEFF_SPIN if given; else kBriefSpin_ns, or none under OMP_WAIT_POLICY=passive
    base::Ticks longer; // the same if TEFF_SPIN or the wait policy decides; else kLongSpin_ns
};
const SpinTicks& spin_ticks();

// May waiting threads spin while `threads_at_work` of the process take part in regions? Not when
// there are more of them than processors that the process may use: whoever spins then keeps off the
// processor the thread that it waits for.
bool may_spin(unsigned threads_at_work);

// Begins to measure the counter's rate. Called by the library's constructor, as early as it can.
void begin_to_measure();
// Ends that, and reads the knobs. Called once by the constructor; `processors` is what the process
// may use.
void initialise(int processors);

} // namespace teff::idle
