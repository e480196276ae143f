// SPDX-License-Identifier: Apache-2.0
//
// Turns: counts how often a worker goes from one task to another, for the recorder.
//
// A turn is a change of contexts (task/suspend.h), or a look for one at a taskyield that found
// none: either takes some 100 ns (75 to 250 ns where this was measured). Where turns follow each
// other so closely that they take a good part of the time, they are hasty, and a report says so.
//
// The worker's own. A task that does not wait comes by nothing of this; the clock is read once in
// kWindow turns.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "idle/limits.h"

namespace teff::team {

// Clock has a static `ticks()`.
template <class Clock> class TurnsOver {
  public:
    static constexpr unsigned kWindow = 256; // turns
    // Closer than 400 ns: a turn takes a quarter of the time.
    static base::Ticks hasty() { return idle::in_ticks(400); }

    // Of all windows that are over.
    struct Counts {
        std::uint64_t turns = 0;
        std::uint64_t hasty_turns = 0; // those of windows with too high a rate
        base::Ticks hasty_ticks = 0;   // and how long they took
    };

    // A turn. True: a window is over, and there are new counts.
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
    base::Ticks window_began_ = 0; // 0 makes the first one a long one
    Counts counts_;
};

struct TurnsClock {
    static base::Ticks ticks() { return base::ticks(); }
};

using Turns = TurnsOver<TurnsClock>;

} // namespace teff::team
