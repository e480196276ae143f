// SPDX-License-Identifier: Apache-2.0
//
// Records which thread woke which worker (docs/formats/trace.md). It is for code that does not know
// its own worker and is about to make the system call that wakes a worker.
//
// A sleeping worker (the sleeper) numbers its sleeps, and the word on which it sleeps holds the
// number (sync/parker.h). Exactly one thread takes the sleeper out of the sleeping state. This
// thread, the waker, finds the number in the word, and records in its own recorder the sleeper, the
// number of the sleep, the time and the cause. The sleeper records in its own recorder which sleep
// a waker has ended. No thread writes into another thread's recorder, so recording needs no atomic
// operation beyond the wake-up's own. A sleep that ends for another reason, such as a timeout, has
// no waker: the sleeper itself has left the sleeping state, so no other thread has found the
// number.
//
// Each thread has a recorder, which only this thread writes. If `record` is null, nothing is
// recorded.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "teff_trace.h"

namespace teff::base {

struct Wake {
    Ticks when;            // the time at which the waker found that it had to wake the sleeper
    Ticks ticks;           // how long the system call took
    std::uint32_t sleeper; // the number of the worker that was woken
    std::uint32_t sleep;   // the number of the worker's sleep
    teff_wake_cause cause;
};

struct WakeRecorder {
    void (*record)(void* stream, const Wake& wake) = nullptr;
    void* stream = nullptr;
};

inline constinit thread_local WakeRecorder this_threads_wakes [[gnu::tls_model("initial-exec")]];

// Calls `wake_up`, which wakes the sleeper, and records the wake-up in the calling thread's
// recorder, if it has one.
template <class WakeUp>
TEFF_COLD void recorded_wake(std::uint32_t sleeper, std::uint32_t sleep, teff_wake_cause cause, WakeUp&& wake_up) {
    const WakeRecorder recorder = this_threads_wakes;
    if (recorder.record == nullptr) return wake_up();
    const Ticks when = ticks();
    wake_up();
    recorder.record(recorder.stream, {when, ticks() - when, sleeper, sleep, cause});
}

} // namespace teff::base
