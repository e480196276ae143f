// SPDX-License-Identifier: Apache-2.0
#include "sync/mutex.h"

namespace teff::sync {

// True: it has found the lock free, and taken it.
bool Mutex::look_for_a_while(std::uint32_t taken) {
    constexpr int kPauses = 100, kLongestPause = 8; // a pause is some tens of nanoseconds
    for (int pause = 1, left = kPauses; left > 0; left -= pause, pause = pause < kLongestPause ? pause * 2 : pause) {
        if (word_.load(std::memory_order_relaxed) == kFree && try_free_to(taken)) return true;
        for (int i = 0; i < pause; ++i)
            base::arch::cpu_relax();
    }
    return false;
}

void Mutex::lock_slow() {
    std::uint32_t taken = kHeld;
    while (!look_for_a_while(taken)) {
        if (word_.exchange(kContended, std::memory_order_acquire) == kFree) return; // [mutex-1]
        base::futex_wait(word_, kContended);
        taken = kContended;
    }
}

} // namespace teff::sync
