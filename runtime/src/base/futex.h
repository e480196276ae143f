// SPDX-License-Identifier: Apache-2.0
// The kernel's futex operations, private to the process. A wait may return without a reason, so
// callers check their condition again after every return. The functions do not use the C library's
// wrapper, which would change the program's errno.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>

#include "base/arch/arch.h"

namespace teff::base {

namespace detail {
inline void futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* limit) {
    (void)arch::system_call(SYS_futex, reinterpret_cast<long>(&word), operation, value, reinterpret_cast<long>(limit),
                            0, 0);
}
} // namespace detail

inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
    detail::futex(word, FUTEX_WAIT_PRIVATE, expected, nullptr);
}

// Waits for at most `ns` nanoseconds.
inline void futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) {
    const timespec limit{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
    detail::futex(word, FUTEX_WAIT_PRIVATE, expected, &limit);
}

inline void futex_wake(const std::atomic<std::uint32_t>& word, int threads) {
    detail::futex(word, FUTEX_WAKE_PRIVATE, static_cast<std::uint32_t>(threads), nullptr);
}

} // namespace teff::base
