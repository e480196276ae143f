// SPDX-License-Identifier: Apache-2.0
//
// Pace: how a waiting member passes the time before it sleeps.
//
// Where no more threads are at work than there are processors, it spins: briefly, unless its last
// sleep was so short that a longer spin would have spared it (limits.h). Else whoever spins keeps
// off the processor the thread that it waits for: then it yields a few times (yield.h).
//
// Who spins does not yield. Where it shares its processor with the thread that it waits for, a
// short sleep hands the processor over as fast, and is ended as soon as that thread has something
// for it; after a yield it gets the processor back when the other one's time slice ends, or two.
// Measured (Linux 6.18, 2 threads, 2 processors): with a yield every 5 us, a worker that was woken
// on the processor of a leader that makes tasks came after 3 ms or never in 22 of 40 starts,
// without it in 1 or 2.
//
// But a spin shows that unrelated threads are about: there the clock jumps. Then nobody spins long
// for a while.
//
// One per wait, used by its worker's thread. Host (sched/wait.h) is the clock, the knobs, and the
// system.
#pragma once

#include "base/clock.h"
#include "idle/limits.h"

namespace teff::idle {

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
        } else {
            Host::has_spun(last_look_, now);
        }
        last_look_ = now;
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
    base::Ticks spin_until_ = 0; // 0: not spinning yet
    base::Ticks last_look_ = 0;  // while it spins
    unsigned yields_ = 0;        // of this look for work
};

} // namespace teff::idle
