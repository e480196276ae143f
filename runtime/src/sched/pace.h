// SPDX-License-Identifier: Apache-2.0
//
// Pace: how a waiting member passes the time before it sleeps: spins, and yields now and then.
//
// Where no more threads are at work than there are processors, it spins: briefly, unless its last
// sleep was so short that a longer spin would have spared it (task/spin.h). Else whoever spins
// keeps off the processor the thread that it waits for: then it yields a few times (sync/yield.h).
//
// One per wait, used by its worker's thread. Host (wait.h) is the clock, the knobs, and the system.
#pragma once

#include "base/clock.h"

namespace teff::sched {

template <class Host> class PaceOver {
  public:
    using Worker = typename Host::Worker;

    // The worker begins to look for work.
    void begin() {
        spin_until_ = 0;
        yields_ = 0;
    }

    // False: it is to sleep now.
    [[nodiscard]] bool keep_looking(Worker& worker) {
        return worker.may_spin ? keep_spinning(worker) : keep_yielding(worker);
    }

    void sleep_is_over(Worker& worker) {
        if (spin_until_ != 0) worker.spins_long = Host::ticks() - spin_began_ < Host::spin_ticks().longer;
        begin();
    }

  private:
    // Enough for every teammate on this processor to have had its turn a few times; some
    // microseconds if nobody else is there.
    static constexpr unsigned kMostYields = 8;
    // While spinning: about 2 and 5 microseconds.
    static constexpr base::Ticks kFirstYield = 5'000, kYieldEvery = 12'500;

    // Some hosts want to know.
    static void ran_out(Worker& worker) {
        if constexpr (requires { Host::ran_out(worker); }) Host::ran_out(worker);
    }

    bool keep_spinning(Worker& worker) {
        const base::Ticks now = Host::ticks();
        if (spin_until_ == 0) {
            ran_out(worker);
            spin_began_ = now;
            spin_until_ = now + length(worker);
            next_yield_ = now + kFirstYield;
        }
        if (now >= next_yield_) {
            // Whoever this worker waits for may have been woken on this very processor, if others
            // keep its own one busy.
            Host::yield_while_spinning(worker);
            next_yield_ = now + kYieldEvery;
        }
        return now < spin_until_;
    }

    static base::Ticks length(const Worker& worker) {
        return worker.spins_long && Host::yielding_pays() ? Host::spin_ticks().longer : Host::spin_ticks().brief;
    }

    bool keep_yielding(Worker& worker) {
        if (yields_ == 0) ran_out(worker);
        if (yields_ == kMostYields || Host::spin_ticks().brief == 0) return false;
        ++yields_;
        return Host::try_yield();
    }

    base::Ticks spin_began_ = 0;
    base::Ticks next_yield_ = 0;
    base::Ticks spin_until_ = 0; // 0: not spinning yet
    unsigned yields_ = 0;        // of this look for work
};

} // namespace teff::sched
