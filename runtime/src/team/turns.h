// SPDX-License-Identifier: Apache-2.0
//
// Turns: counts how often a worker switches from one task to another, for the recorder.
//
// A turn is a switch of contexts (task/suspend.h), or a taskyield that looked for another context
// and found none. Either of them takes some 100 ns (75 to 250 ns in measurements). Turns are called
// hasty if they follow each other so closely that they take a good part of the time. In that case a
// report says so.
//
// The object is used by its worker's thread only. A task that does not wait does not access it. The
// clock is read once in kWindow turns.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "idle/limits.h"

namespace teff::team {

// Clock must have a static function `ticks()`.
template <class Clock> class TurnsOver {
  public:
    static constexpr unsigned kWindow = 256; // turns
    // The limit for the mean time between turns. Below 400 ns, a turn takes a quarter of the time.
    static base::Ticks hasty() { return idle::in_ticks(400); }

    // The counts over all completed windows.
    struct Counts {
        std::uint64_t turns = 0;
        std::uint64_t hasty_turns = 0; // turns in hasty windows
        base::Ticks hasty_ticks = 0;   // the length of the hasty windows
    };

    // Counts a turn. Returns true if a window has ended and the counts have changed.
    [[nodiscard]] bool turned() { return TEFF_UNLIKELY(--turns_to_go_ == 0) && end_window(); }

    const Counts& counts() const { return counts_; }

  private:
    TEFF_COLD bool end_window() {
        const base::Ticks now = Clock::ticks();
        const base::Ticks length = now - window_began_;
        window_began_ = now;
        turns_to_go_ = kWindow;
        counts_.turns += kWindow;
        if (length < hasty() * kWindow) {
            counts_.hasty_turns += kWindow;
            counts_.hasty_ticks += length;
        }
        return true;
    }

    unsigned turns_to_go_ = kWindow;
    base::Ticks window_began_ = 0; // 0 makes the first window a long one
    Counts counts_;
};

struct TurnsClock {
    static base::Ticks ticks() { return base::ticks(); }
};

using Turns = TurnsOver<TurnsClock>;

} // namespace teff::team
