// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/nth_regions.h"

#include <atomic>
#include <cstddef>

namespace teff::probe::trace::nth_regions {

namespace {

struct Count {
    std::atomic<const void*> body{nullptr}; // null: free
    std::atomic<std::uint32_t> regions{0};
};

constexpr std::size_t kCounts = 1024; // a power of two
constexpr std::size_t kTries = 16;    // places that are looked at for one construct

constinit Count counts[kCounts];
constinit Count shared;
constinit std::atomic<std::uint64_t> met{0}, recorded{0};

std::size_t place_of(const void* body) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(body) * 0x9e3779b97f4a7c15u) >> 54);
}

// Returns true if the count is this construct's, which may have to take it first.
bool is_of(Count& count, const void* body) {
    const void* of = count.body.load(std::memory_order_relaxed);
    if (of == nullptr && count.body.compare_exchange_strong(of, body, std::memory_order_relaxed)) return true;
    return of == body;
}

Count& count_of(const void* body) {
    const std::size_t first = place_of(body);
    for (std::size_t i = 0; i < kTries; ++i)
        if (Count& count = counts[(first + i) % kCounts]; is_of(count, body)) return count;
    return shared;
}

void reset_count(Count& count) {
    count.body.store(nullptr, std::memory_order_relaxed);
    count.regions.store(0, std::memory_order_relaxed);
}

} // namespace

bool is_nth(const void* body, std::uint32_t n) {
    return (count_of(body).regions.fetch_add(1, std::memory_order_relaxed) + 1) % n == 0;
}

void add_to_totals(bool is_recorded) {
    met.fetch_add(1, std::memory_order_relaxed);
    if (is_recorded) recorded.fetch_add(1, std::memory_order_relaxed);
}

Totals totals() { return {met.load(std::memory_order_relaxed), recorded.load(std::memory_order_relaxed)}; }

void reset_totals() {
    met.store(0, std::memory_order_relaxed);
    recorded.store(0, std::memory_order_relaxed);
}

void reset() {
    for (Count& count : counts)
        reset_count(count);
    reset_count(shared);
    reset_totals();
}

} // namespace teff::probe::trace::nth_regions
