// SPDX-License-Identifier: Apache-2.0
// The kernel's wait-on-a-word, private to the process. Callers check their condition again after every return: a wait may end
// for no reason.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace teff::base {

inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

// Waits for at most `ns` nanoseconds.
inline void futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) {
    timespec limit{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
}

inline void futex_wake(const std::atomic<std::uint32_t>& word, int threads) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

} // namespace teff::base
