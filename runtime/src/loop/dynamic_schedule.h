// SPDX-License-Identifier: Apache-2.0
//
// The monotonic dynamic schedule: chunks of equal size, handed out in order from one shared
// counter.
//
// The counter counts chunks, not iterations: to overflow it would take 2^64 calls. All orders are
// relaxed, since the number taken is all that passes between members; the loop itself was published
// by the slot ([share-2] in work_share.h).
#pragma once

#include <atomic>

#include "loop/iterations.h"

namespace teff::loop {

inline std::uint64_t count_chunks(std::uint64_t count, std::uint64_t chunk) {
    return count == 0 ? 0 : (count - 1) / chunk + 1;
}

// The iterations of chunk `number`, which exists.
inline Span chunk_span(std::uint64_t count, std::uint64_t chunk, std::uint64_t number) {
    const std::uint64_t first = number * chunk;
    return {first, count - first > chunk ? first + chunk : count};
}

// HOT chunk_monotonic: one read-modify-write.
inline bool dynamic_take(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t chunk,
                         std::uint64_t chunks, Span& span) {
    const std::uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
    if (number >= chunks) return false;
    span = chunk_span(count, chunk, number);
    return true;
}

// The same for a member alone, which needs no read-modify-write.
inline bool dynamic_take_alone(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t chunk,
                               std::uint64_t chunks, Span& span) {
    const std::uint64_t number = next.load(std::memory_order_relaxed);
    if (number == chunks) return false;
    next.store(number + 1, std::memory_order_relaxed);
    span = chunk_span(count, chunk, number);
    return true;
}

} // namespace teff::loop
