// SPDX-License-Identifier: Apache-2.0
#include "sync/omp_lock.h"

namespace teff::sync {

int OldNestLock::try_set(std::uint32_t tid) {
    if (is_owner(tid)) return ++count_;
    std::uint32_t expected = kFree;
    if (!word_.compare_exchange_strong(expected, tid, std::memory_order_acquire, std::memory_order_relaxed))
        return 0; // [oldlock-1]
    return count_ = 1;
}

// A thread that has waited takes the lock with the mark kSleepers, because further threads may be
// asleep.
void OldNestLock::set(std::uint32_t tid) {
    if (try_set(tid) != 0) return;
    for (;;) {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        if (seen == kFree) {
            if (word_.compare_exchange_weak(seen, tid | kSleepers, std::memory_order_acquire, // [oldlock-1]
                                            std::memory_order_relaxed))
                break; // [oldlock-1]
            continue;
        }
        if ((seen & kSleepers) == 0 &&
            !word_.compare_exchange_weak(seen, seen | kSleepers, std::memory_order_relaxed, std::memory_order_relaxed))
            continue;
        base::futex_wait(word_, seen | kSleepers);
    }
    count_ = 1;
}

// [oldlock-1] The exchange (release) pairs with the compare-exchange (acquire) of the thread that
//             takes the lock next.
bool OldNestLock::unset() {
    if (--count_ > 0) return false;
    if ((word_.exchange(kFree, std::memory_order_release) & kSleepers) != 0) base::futex_wake(word_, 1); // [oldlock-1]
    return true;
}

} // namespace teff::sync
