// SPDX-License-Identifier: Apache-2.0
//
// Pace: how long a waiting member spins or yields before it sleeps.
//
// If there are at most as many working threads as processors, the member spins, for as long as its
// last spins suggest (spin_history.h). If there are more threads than processors, a spinning member
// could occupy the processor of the thread for which it waits. So in this case the member yields a
// few times instead (yield.h).
//
// A spinning member does not yield. The reason is that the member may share its processor with the
// thread for which it waits. In that case a short sleep hands over the processor as fast as a yield
// does, and ends as soon as that thread has work for the member. After a yield, the member gets the
// processor back only when the other thread's time slice ends, or even only after the next time
// slice. Measured (Linux 6.18, 2 threads, 2 processors), with a worker that was woken on the
// processor of a leader that creates tasks: with a yield every 5 us, the worker came after 3 ms or
// never in 22 of 40 starts; without the yield, in 1 or 2 of 40.
//
// A spin also reveals unrelated threads: if an unrelated thread takes the processor, the clock
// jumps between two of the spinning thread's readings. After that no thread spins long for a while.
//
// Each wait has one Pace, used by its worker's thread only. Host (sched/wait.h) provides the clock,
// the knobs, and the system calls.
#pragma once

#include "base/clock.h"
#include "idle/limits.h"
#include "idle/spin_history.h"

namespace teff::idle {

template <class Host> class PaceOver {
  public:
    using Worker = typename Host::Worker;

    // Called when the worker begins to look for work.
    void begin() {
        spin_until_ = 0;
        yields_ = 0;
    }

    // Called between two looks for work. Returns false if the worker is to sleep now.
    [[nodiscard]] bool keep_looking(Worker& worker) {
        return worker.may_spin ? keep_spinning(worker) : keep_yielding(worker);
    }

    // Called when the worker has slept. If the worker had spun before the sleep, decides whether
    // its next spin is long.
    void sleep_is_over(Worker& worker) {
        if (spin_until_ != 0) worker.spins.slept(spin_began_, last_look_, Host::ticks(), Host::spin_ticks());
        begin();
    }

  private:
    // Calls Host::ran_out if the host has that function.
    static void ran_out(Worker& worker) {
        if constexpr (requires { Host::ran_out(worker); }) Host::ran_out(worker);
    }

    bool keep_spinning(Worker& worker) {
        const base::Ticks now = Host::ticks();
        if (spin_until_ == 0) {
            ran_out(worker);
            spin_began_ = now;
            const bool is_long = worker.spins.next_is_long() && Host::yielding_pays();
            spin_until_ = now + worker.spins.begin(now, Host::spin_ticks(), is_long);
        } else {
            Host::has_spun(last_look_, now);
        }
        last_look_ = now;
        return now < spin_until_;
    }

    bool keep_yielding(Worker& worker) {
        if (yields_ == 0) ran_out(worker);
        if (yields_ == kMostYields || Host::spin_ticks().brief == 0) return false;
        ++yields_;
        return Host::try_yield();
    }

    base::Ticks spin_began_ = 0;
    base::Ticks spin_until_ = 0; // 0: the worker is not spinning yet
    base::Ticks last_look_ = 0;  // valid while the worker spins
    unsigned yields_ = 0;        // number of yields of this look for work
};

} // namespace teff::idle
