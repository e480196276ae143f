// SPDX-License-Identifier: Apache-2.0
//
// Counts costs of the runtime's own protocols: contention and wake-ups (probe/stat/counters.h). It
// is for slow paths whose code does not know its worker: such code has just met contention, or is
// about to make a system call. Other code counts by the worker's events.
//
// Each thread has a pointer to its own counters, which only this thread writes. If the pointer is
// null, nothing is counted.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "teff_stat.h"

namespace teff::base {

// The counters of the calling thread, indexed by teff_stat_count.
inline constinit thread_local std::uint64_t* this_threads_counts [[gnu::tls_model("initial-exec")]] = nullptr;

TEFF_COLD inline void count_here(teff_stat_count what) {
    if (std::uint64_t* const counts = this_threads_counts) ++counts[what];
}

// Counts one wait for a lock that another thread holds: the thread waits while this object lives.
// `kOf` is the count of waits for such locks; the next count, `kOf` + 1, adds up the ticks of the
// waits.
template <teff_stat_count kOf> class Contention {
  public:
    TEFF_COLD Contention() : began_(this_threads_counts != nullptr ? ticks() : 0) {}
    TEFF_COLD ~Contention() {
        std::uint64_t* const counts = this_threads_counts;
        if (counts == nullptr || began_ == 0) return;
        ++counts[kOf];
        counts[kOf + 1] += ticks() - began_;
    }
    Contention(const Contention&) = delete;
    Contention& operator=(const Contention&) = delete;

  private:
    Ticks began_;
};

} // namespace teff::base
