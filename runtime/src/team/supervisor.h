// SPDX-License-Identifier: Apache-2.0
//
// Supervisor: whether it pays for a worker to go from task to task, by the rate at which it does.
//
// A turn is a change of contexts (task/suspend.h), or a look for one at a taskyield that was in
// vain: either takes some 100 ns (75 to 250 ns where this was measured). Where turns follow each
// other so closely that they take a good part of the time, the worker holds back for a stretch: it
// waits in place for a moment before each turn. Then it counts again, and holds back for twice as
// long if the rate is still high, until it is not.
//
//     counts --kWindow turns in less than kHasty_ticks each--> holds back
//     holds back --the stretch is over--> counts   (the next stretch is twice as long)
//     holds back --most tries failed----> counts   (and the next tries are twice as far away)
//
// What it does while it holds back. Each is a try, and most must succeed for the stretch to go on:
//
//     a wait       looks whether it is over for kPatience, the cost of a turn or two, before it
//                  looks for others. A success: it was over. Whoever does so never pays much more
//                  than twice what the better choice would have cost.
//     a taskyield  is left out, kMostLeftOut times in a row and for kLongest at most. A success:
//                  the task has worked since the one before. Else it only asks for something that
//                  others bring about, and needs them to have their turn.
//
// No program comes to a halt by that. A wait that is not over after kPatience does what it always
// does, and so does the last look before sleeping, at once. A task that yields again and again has
// its turn within kMostLeftOut yields. That a single taskyield has an effect is nowhere promised:
// it looks briefly, and not at all if the task holds a lock. Where a task of a higher priority is
// ready, no yield is left out.
//
// All of it is the worker's own. A task that does not wait comes by nothing of this. The clock is
// read once in kWindow turns, and while it holds back.
//
// Rejected: a count of waits in progress, or of their lengths: both cost something at each wait,
// also where contexts pay. Leaving yields out by time alone: tasks that hand something to each
// other by yields would each time wait for that time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/atomics.h"
#include "base/clock.h"

namespace teff::team {

// Clock has a static `ticks()` and `cpu_relax()`.
template <class Clock> class SupervisorOver {
  public:
    // Ticks as many as there are in a microsecond: 2500, about, as in task/spin.cpp.
    static constexpr base::Ticks kHasty_ticks = 1'000; // 400 ns: a turn takes a quarter of the time
    static constexpr base::Ticks kPatience = 500;      // 200 ns
    static constexpr base::Ticks kLongest = 2'500;     // 1 us
    static constexpr base::Ticks kLeastWork = 75;      // 30 ns
    static constexpr unsigned kMostLeftOut = 7;
    static constexpr unsigned kWindow = 256;                                                 // turns, or tries
    static constexpr unsigned kFirstStretch = 4, kLongestStretch = 256, kLongestPause = 256; // in windows

    // Of all windows that are over.
    struct Counts {
        std::uint64_t turns = 0;
        std::uint64_t in_place = 0;    // waits that were over in place, yields that were left out
        std::uint64_t hasty_turns = 0; // those of windows with too high a rate
        base::Ticks hasty_ticks = 0;   // and how long they took
    };

    // A turn. True: a window is over, and there are new counts.
    [[nodiscard]] bool turned() {
        left_out_ = 0;
        return TEFF_UNLIKELY(--turns_to_go_ == 0) && end_window();
    }

    [[nodiscard]] bool holds_back() const { return holds_back_; }

    // While it holds back. A wait: was it over within the moment that is tried in place?
    template <class Over> [[nodiscard]] bool ends_in_place(Over&& over) {
        const base::Ticks began = Clock::ticks();
        do {
            Clock::cpu_relax();
            if (over()) {
                ++counts_.in_place;
                note_try(true);
                return true;
            }
        } while (Clock::ticks() - began < kPatience);
        note_try(false);
        return false;
    }

    // The same: is this taskyield left out?
    [[nodiscard]] bool leaves_out() {
        const base::Ticks now = Clock::ticks();
        const base::Ticks since = now - last_yield_;
        last_yield_ = now;
        if (left_out_ == 0) first_left_out_ = now; // since then others have run
        else if (left_out_ == kMostLeftOut || now - first_left_out_ > kLongest) return false;
        if (left_out_++ != 0) note_try(since >= kLeastWork);
        ++counts_.in_place;
        return true;
    }

    const Counts& counts() const { return counts_; }

  private:
    TEFF_COLD bool end_window() {
        const base::Ticks now = Clock::ticks();
        const base::Ticks length = now - window_began_;
        window_began_ = now;
        turns_to_go_ = kWindow;
        counts_.turns += kWindow;
        if (holds_back_) pass_window_of_stretch();
        else judge_rate(length);
        return true;
    }

    void judge_rate(base::Ticks length) {
        if (length >= kHasty_ticks * kWindow) {
            next_stretch_ = kFirstStretch;
            next_pause_ = 1;
            return;
        }
        counts_.hasty_turns += kWindow;
        counts_.hasty_ticks += length;
        if (pause_ != 0) --pause_;
        else hold_back();
    }

    void hold_back() {
        holds_back_ = true;
        windows_to_go_ = next_stretch_;
        tries_ = successes_ = 0;
    }

    void note_try(bool succeeded) {
        successes_ += succeeded ? 1 : 0;
        if (TEFF_UNLIKELY(++tries_ == kWindow)) judge_tries();
    }

    TEFF_COLD void judge_tries() {
        const bool pays = 2 * successes_ >= tries_;
        tries_ = successes_ = 0;
        if (pays) return pass_window_of_stretch();
        pause_ = next_pause_;
        next_pause_ = std::min(2 * next_pause_, kLongestPause);
        next_stretch_ = kFirstStretch;
        count_again();
    }

    void pass_window_of_stretch() {
        if (!holds_back_ || --windows_to_go_ != 0) return;
        next_stretch_ = std::min(2 * next_stretch_, kLongestStretch);
        count_again();
    }

    void count_again() {
        holds_back_ = false;
        window_began_ = Clock::ticks();
        turns_to_go_ = kWindow;
    }

    bool holds_back_ = false;
    unsigned turns_to_go_ = kWindow;
    unsigned left_out_ = 0; // yields, since the last turn
    unsigned tries_ = 0, successes_ = 0;
    unsigned windows_to_go_ = 0; // of the stretch
    unsigned next_stretch_ = kFirstStretch;
    unsigned pause_ = 0; // hasty windows until it holds back again
    unsigned next_pause_ = 1;
    base::Ticks window_began_ = 0; // 0 makes the first one a long one
    base::Ticks last_yield_ = 0, first_left_out_ = 0;
    Counts counts_;
};

struct SupervisorClock {
    static base::Ticks ticks() { return base::ticks(); }
    static void cpu_relax() { base::RealAtomics::cpu_relax(); }
};

using Supervisor = SupervisorOver<SupervisorClock>;

} // namespace teff::team
