// SPDX-License-Identifier: Apache-2.0
//
// Limits: how long the runtime's threads look for work, yield and nap before they sleep. All of
// these numbers are in this file. Each comment states the measurement behind a number, or says
// "chosen". The other files of this folder use these numbers, and so do waits in other folders
// (loops, locks).
//
// Times are in nanoseconds. Code that counts in ticks converts them by in_ticks, at the rate that
// the library's constructor has measured. Unless another machine is named, the measurements are
// from virtual machines with two processors, AMD Zen 4 and 5, November 2026.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "icv/icv.h"

namespace teff::idle {

// ---- spinning: used if the threads at work are at most as many as the process's processors ----

// The length of a brief spin. It is longer than a wake-up that need not wake a processor (5 to
// 10 us), so that threads do not sleep between regions and barriers that follow each other closely.
// It is far shorter than what a user, or another process on the machine, would notice.
inline constexpr std::uint64_t kBriefSpin_ns = 20'000;
// The length of a long spin. It is a few times the cost of waking a thread on an idle processor (15
// to 75 us). Without long spins, regions with pauses of 60 us between them take 76 us instead of 4.
inline constexpr std::uint64_t kLongSpin_ns = 200'000;

// The length of all spins with OMP_WAIT_POLICY=active. It is longer than the pauses of programs
// that want their threads to stay awake, but still ends the spin in a program that no longer uses
// OpenMP.
inline constexpr std::uint64_t kActiveSpin_ns = 5'000'000'000;

// A long spin is futile if it found nothing, but the sleep after it was shorter than this part of a
// long spin: 50 us. After kFutileSpins of them the worker rests from spinning (spin_history.h).
inline constexpr std::uint64_t kShortSleepPart = 4;
inline constexpr std::uint8_t kFutileSpins = 3;

// ---- yielding: more threads are at work than there are processors ----

// The most yields of one look for work. They let every teammate on this processor run a few times.
// They take some microseconds if no other thread is on the processor.
inline constexpr unsigned kMostYields = 8;
// If a thread was off its processor for longer than this, an unrelated thread was running there:
// this limit is shorter than a time slice (3 ms where this was measured), but longer than the time
// between two threads that meet at a barrier.
inline constexpr std::uint64_t kLongAbsence_ns = 400'000;
// The length of the first pause after a long absence. During a pause no thread yields or spins
// long. As long as there are unrelated threads, each pause is twice as long as the previous one,
// until unrelated threads get one part in kPauseFactor of a processor's time.
inline constexpr std::uint64_t kFirstPause_ns = 800'000;
inline constexpr std::uint64_t kPauseFactor = 100;

// ---- sleeping while there is only work that may not be run ----

// The first nap is about as long as the wake-up that it saves. The longest nap is chosen.
inline constexpr std::uint64_t kFirstNap_ns = 20'000, kLongestNap_ns = 10'000'000;

// ---- loops and locks: a waiter looks at one word, and then sleeps on that word ----

// The number of looks before a waiter sleeps. A look takes a few tens of nanoseconds: kLooks take
// about 10 us, and kLooksInACrowd take less time than a switch of threads.
inline constexpr unsigned kLooks = 300, kLooksInACrowd = 10;
inline unsigned looks(bool may_spin) { return may_spin ? kLooks : kLooksInACrowd; }
// A released lock goes to the next thread that asks for it, unless a waiter has waited for this
// long; then the lock is handed to the waiter. The next hand-over of this kind follows at the
// earliest after ten times this time. Chosen: less than a time slice.
inline constexpr std::uint64_t kPatience_ns = 800'000;
// The interval at which a sleeper looks for changes of which nobody notifies it: a cancellation, or
// a ready context (task/blocked_wait.h).
inline constexpr std::uint64_t kLookAgain_ns = 1'000'000;

// ---- the clock ----

// Returns the number of ticks in `ns` nanoseconds, accurate to 1 %. Until the rate is known,
// assumes 2.5 ticks per nanosecond.
base::Ticks in_ticks(std::uint64_t ns);

// ---- what the program and its environment have chosen ----

// The lengths of a worker's spins, in ticks. A worker spins briefly, unless its last sleep was so
// short that a long spin would have avoided the sleep. Then the worker spins long, until a long
// spin finds nothing. In this way, a program with short pauses does not make its workers sleep in
// each pause, and a team that becomes idle spends one long spin at most.
struct SpinTicks {
    base::Ticks brief;  // TEFF_SPIN or OMP_WAIT_POLICY if given; otherwise kBriefSpin_ns
    base::Ticks longer; // equal to `brief` if TEFF_SPIN or OMP_WAIT_POLICY is given; otherwise kLongSpin_ns
};
SpinTicks spin_ticks();

// Change the lengths of all spins, as TEFF_SPIN and as OMP_WAIT_POLICY would. Any thread may call
// them at any time. `us` is at most icv::kSpinMax_us.
void spin_for(std::int64_t us);
void spin_as(icv::WaitPolicy policy);

// Returns true if waiting threads may spin while `threads_at_work` threads of the process take part
// in regions. Returns false if there are more such threads than processors that the process may
// use: a spinning thread would then keep the thread for which it waits off the processor.
bool may_spin(unsigned threads_at_work);

// Begins to measure the rate of the tick counter. Called by the library's constructor, as early as
// possible.
void begin_to_measure();
// Ends the measurement, and reads the knobs. `processors` is the number of processors that the
// process may use. Called by the library's constructor, and again if the program changes the
// settings before it uses OpenMP.
void initialise(int processors);

} // namespace teff::idle
