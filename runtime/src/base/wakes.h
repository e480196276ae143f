// SPDX-License-Identifier: Apache-2.0
//
// Records who woke whom (docs/formats/trace.md). It is for code that knows no worker, and is about
// to make the system call that wakes one.
//
// A sleeper numbers its sleeps, and the word that it sleeps on holds the number (sync/parker.h).
// The one thread that takes the sleeper out of that state finds the number there, and tells its
// own recorder: whom it wakes, out of which sleep, when and why. The sleeper tells its recorder
// which sleep has ended so. No thread writes into another one's recorder, so this takes no atomic
// operation beyond the one that wakes anyway. A sleep that ends for another reason, as its time is
// over, has no waker: the sleeper has taken itself out, and nobody has found the number.
//
// Each thread has a recorder, which it alone writes; `record` null: nothing is recorded.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "teff_trace.h"

namespace teff::base {

struct Wake {
    Ticks when;            // the thread knew that it had to wake the sleeper
    Ticks ticks;           // the system call has taken
    std::uint32_t sleeper; // the number of its worker
    std::uint32_t sleep;   // which of its sleeps
    teff_wake_cause cause;
};

struct WakeRecorder {
    void (*record)(void* stream, const Wake& wake) = nullptr;
    void* stream = nullptr;
};

inline constinit thread_local WakeRecorder this_threads_wakes [[gnu::tls_model("initial-exec")]];

// Of the calling thread: `wake_up` wakes the sleeper.
template <class WakeUp>
TEFF_COLD void recorded_wake(std::uint32_t sleeper, std::uint32_t sleep, teff_wake_cause cause, WakeUp&& wake_up) {
    const WakeRecorder recorder = this_threads_wakes;
    if (recorder.record == nullptr) return wake_up();
    const Ticks when = ticks();
    wake_up();
    recorder.record(recorder.stream, {when, ticks() - when, sleeper, sleep, cause});
}

} // namespace teff::base
