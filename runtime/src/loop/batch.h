// SPDX-License-Identifier: Apache-2.0
//
// Batch: consecutive chunks of a loop that one member has for itself, and from which others steal.
//
// A batch is one word, which holds begin and end. So a member that exchanges the word it has seen
// takes chunks that nobody else has taken, whatever happened to the batch in between. Its member
// takes from the front, others take the later half. Only a batch that is not empty is ever
// exchanged by others, so its member may simply store a new one over an empty one. All orders are
// relaxed, as in schedules.h: the word is all that passes.
//
// Chunk numbers are below 2^32 (fits). A template over the atomics, for the explorer and modelled
// machines.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.h"
#include "base/cache_line.h"

namespace teff::loop {

// Chunks begin .. end - 1, by number.
struct Chunks {
    std::uint64_t begin = 0, end = 0;

    bool operator==(const Chunks&) const = default;
};

template <class Atomics> class alignas(base::kCacheLine) BatchOver {
  public:
    static bool fits(std::uint64_t chunks) { return chunks <= 0xffff'ffffu; }

    // So many of the first ones: `size(left)` of those that are left, 1 at least. False: the batch
    // is empty.
    template <class Size> [[gnu::always_inline]] inline bool take_first(const Size& size, Chunks& taken) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (TEFF_LIKELY(begin_of(word) < end_of(word))) {
            const std::uint64_t count = size(end_of(word) - begin_of(word));
            if (!TEFF_LIKELY(word_.compare_exchange_weak(word, word + count, std::memory_order_relaxed,
                                                         std::memory_order_relaxed)))
                continue;
            taken = {begin_of(word), begin_of(word) + count};
            return true;
        }
        return false;
    }

    // The later half, of a single one that one.
    bool take_later_half(Chunks& taken) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (begin_of(word) < end_of(word)) {
            const std::uint64_t half = (end_of(word) - begin_of(word) + 1) / 2;
            const std::uint64_t middle = end_of(word) - half;
            if (!word_.compare_exchange_weak(word, pack({begin_of(word), middle}), std::memory_order_relaxed,
                                             std::memory_order_relaxed))
                continue;
            taken = {middle, middle + half};
            return true;
        }
        return false;
    }

    // Its member, over an empty one; or who sets the loop up.
    void fill(const Chunks& chunks) { word_.store(pack(chunks), std::memory_order_relaxed); }

    // A hint.
    std::uint64_t size() const {
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        return begin_of(word) < end_of(word) ? end_of(word) - begin_of(word) : 0;
    }

  private:
    static std::uint64_t begin_of(std::uint64_t word) { return word & 0xffff'ffffu; }
    static std::uint64_t end_of(std::uint64_t word) { return word >> 32; }
    static std::uint64_t pack(const Chunks& chunks) { return chunks.end << 32 | chunks.begin; }

    typename Atomics::template atomic<std::uint64_t> word_{0};
};

using Batch = BatchOver<base::RealAtomics>;

} // namespace teff::loop
