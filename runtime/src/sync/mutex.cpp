// SPDX-License-Identifier: Apache-2.0
#include "sync/mutex.h"

namespace teff::sync {

void Mutex::lock_slow() {
    constexpr int kSpins = 40; // about one cache-line transfer's worth of patience
    for (int spin = 0; spin < kSpins; ++spin) {
        if (word_.load(std::memory_order_relaxed) == kContended) break; // someone sleeps already: join the queue
        if (try_free_to_held()) return;
        base::arch::cpu_relax();
    }
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) // [mutex-1]
        base::futex_wait(word_, kContended);
}

} // namespace teff::sync
