// SPDX-License-Identifier: Apache-2.0
//
// SpinHistory: what a worker's last spins have shown, and how long its next spin is therefore.
// Owned by the worker, used by its thread only.
//
// A spin is brief, unless the last sleep was so short that a longer spin would have avoided it
// (limits.h). A long spin that finds nothing, and is followed by a very short sleep, shows
// something else: the thread for which the worker waits needed only a little time, but did not get
// it until the worker slept. Both are on one processor, usually because an unrelated thread has
// another one. After kFutileSpins such spins without a success in between, the worker rests: it
// does not spin, but sleeps at once. If the first long spin after a rest is futile again, the next
// rest is twice as long, up to kPauseFactor times a long spin. Spins whose length the user chose
// have no rests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "idle/limits.h"

namespace teff::idle {

class SpinHistory {
  public:
    // Whether a long spin would have avoided the last sleep.
    bool next_is_long() const { return next_is_long_; }

    // Returns how long the worker may spin now; 0: not at all. `is_long`: next_is_long, and no
    // unrelated thread is known to use the processors.
    base::Ticks begin(base::Ticks now, const SpinTicks& lengths, bool is_long) {
        if (is_open_) futile_ = 0; // the last spin ended without a sleep
        is_open_ = true;
        is_long_ = is_long;
        if (now < rest_until_) return 0;
        return is_long_ ? lengths.longer : lengths.brief;
    }

    // Called when the sleep that followed a spin is over.
    void slept(base::Ticks began, base::Ticks gave_up, base::Ticks now, const SpinTicks& lengths) {
        is_open_ = false;
        const bool rested = gave_up < rest_until_;
        const bool is_chosen = lengths.brief == lengths.longer;
        if (is_long_ && !rested && !is_chosen) note_long(now - gave_up, now, lengths);
        next_is_long_ = now - began < lengths.longer;
    }

  private:
    // After a long spin, and a sleep of this length.
    void note_long(base::Ticks sleep, base::Ticks now, const SpinTicks& lengths) {
        if (sleep * kShortSleepPart >= lengths.longer) {
            futile_ = 0;
            return;
        }
        if (++futile_ < kFutileSpins) return;
        futile_ = kFutileSpins - 1; // one more is enough after the rest
        const bool is_repeated = now < rest_until_ + rest_;
        rest_ = is_repeated ? std::min(2 * rest_, kPauseFactor * lengths.longer) : 4 * lengths.longer;
        rest_until_ = now + rest_;
    }

    base::Ticks rest_until_ = 0, rest_ = 0;
    std::uint8_t futile_ = 0;   // how many long spins, one after the other, were futile
    bool next_is_long_ = false; // the last sleep was short
    bool is_long_ = false;      // the spin that is underway, or was last
    bool is_open_ = false;      // a spin has begun, and no sleep has followed
};

} // namespace teff::idle
