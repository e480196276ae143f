// SPDX-License-Identifier: Apache-2.0
#include "task/drain.h"

#include "sync/yield.h"
#include "task/spin.h"
#include "team/spread.h"

namespace teff::task {

bool Idler::keep_spinning() {
    if (!worker_.may_spin) return keep_yielding();
    const base::Ticks now = base::ticks();
    if (spin_until_ == 0) {
        spin_began_ = now;
        spin_until_ = now + (worker_.spins_long && sync::yielding_pays() ? spin_ticks().longer : spin_ticks().brief);
        next_yield_ = now + kFirstYield;
    }
    if (now >= next_yield_) {
        // Whoever this worker waits for may have been woken on this very processor, if others keep its own one busy.
        team::note_giving_way(worker_);
        (void)sync::try_yield();
        team::spread(worker_);
        next_yield_ = now + kYieldEvery;
    }
    return now < spin_until_;
}

bool Idler::keep_yielding() {
    if (yields_ == kMostYields || spin_ticks().brief == 0) return false;
    ++yields_;
    return sync::try_yield();
}

void Idler::note_sleep_over() {
    if (spin_until_ != 0) worker_.spins_long = base::ticks() - spin_began_ < spin_ticks().longer;
    spin_until_ = 0;
    yields_ = 0;
}

void Idler::park(bool nap) {
    const base::Ticks began = TEFF_UNLIKELY(worker_.probes != 0) ? base::ticks() : 0;
    team::note_giving_way(worker_);
    sync::note_giving_way();
    if (nap) {
        nap_ns_ = nap_ns_ == 0 ? kFirstNap_ns : nap_ns_ * 2 < kLongestNap_ns ? nap_ns_ * 2 : kLongestNap_ns;
        worker_.parker.park_for(nap_ns_);
    } else {
        worker_.parker.park();
    }
    team::spread(worker_);
    if (TEFF_UNLIKELY(worker_.probes != 0)) events::idled(worker_, began);
}

void Idler::stop_searching_slow() {
    searching_ = false;
    sched::Scheduler& ready = worker_.member->team->ready;
    if (ready.sleepers().stop_searching() && !ready.looks_drained()) ready.wake_one(); // [sleep-2]
}

} // namespace teff::task
