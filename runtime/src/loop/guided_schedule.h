// SPDX-License-Identifier: Apache-2.0
//
// The guided schedule: each chunk is the remaining iterations divided by the number of members, but
// at least the chunk size.
//
// `next` is the number of the first iteration that is not handed out. Relaxed, as in
// dynamic_schedule.h.
#pragma once

#include <atomic>

#include "loop/iterations.h"

namespace teff::loop {

inline std::uint64_t guided_size(std::uint64_t remaining, std::uint64_t chunk, unsigned members) {
    const std::uint64_t share = (remaining - 1) / members + 1;
    const std::uint64_t size = share < chunk ? chunk : share;
    return size < remaining ? size : remaining;
}

inline bool guided_take(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t chunk, unsigned members,
                        Span& span) {
    std::uint64_t first = next.load(std::memory_order_relaxed), last;
    do {
        if (first == count) return false;
        last = first + guided_size(count - first, chunk, members);
    } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
    span = {first, last};
    return true;
}

} // namespace teff::loop
