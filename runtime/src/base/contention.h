// SPDX-License-Identifier: Apache-2.0
//
// Counts what the runtime's own protocols cost a thread (probe/stat/counters.h): contention, and
// wake-ups. It is for code that knows no worker, on paths that are slow anyway: they have just met
// contention, or are about to make a system call. Elsewhere the worker's events do the counting.
//
// Each thread has a pointer to its own counters, which it alone writes; null: nothing is counted.
#pragma once

#include <cstdint>

#include "base/cache_line.h"
#include "base/clock.h"
#include "teff_stat.h"

namespace teff::base {

// Of the calling thread, by teff_stat_count.
inline constinit thread_local std::uint64_t* this_threads_counts [[gnu::tls_model("initial-exec")]] = nullptr;

TEFF_COLD inline void count_here(teff_stat_count what) {
    if (std::uint64_t* const counts = this_threads_counts) ++counts[what];
}

// A lock was held by another: from here to the end of the block the thread waits for it. `kOf` is
// the count for such locks, with that of the ticks behind it.
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
