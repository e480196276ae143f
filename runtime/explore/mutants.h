// SPDX-License-Identifier: Apache-2.0
//
// Atomics that are broken on purpose, for the tests of several protocols. In these atomics, an
// operation that should be one step consists of several steps. A test names its alias after the
// fault: `using TornArrival = explore::TornWeakExchange;`.
#pragma once

#include <atomic>
#include <utility>

#include "explore/atomics.h"

namespace teff::explore {

// A compare-exchange, weak or strong, is not atomic: it reads, and writes in a second step.
struct TornWeakExchange : Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
            const T seen = this->load(std::memory_order_seq_cst);
            if (seen == expected) this->exchange(desired, std::memory_order_seq_cst);
            return std::exchange(expected, seen) == seen;
        }
    };
};

struct TornStrongExchange : Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
            if (this->load(std::memory_order_seq_cst) != expected) return false;
            this->exchange(desired, std::memory_order_seq_cst);
            return true;
        }
    };
};

// A compare-exchange orders nothing.
struct RelaxedWeakExchange : Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
            return explore::atomic<T>::compare_exchange_weak(expected, desired, std::memory_order_relaxed,
                                                             std::memory_order_relaxed);
        }
    };
};

} // namespace teff::explore
