// SPDX-License-Identifier: Apache-2.0
//
// Batch: consecutive chunks of a loop that belong to one member, and from which other members
// steal.
//
// A batch is one word, which holds its begin and its end. So if a member successfully exchanges the
// word that it has seen, no other member has taken the chunks that this member takes, even if the
// batch changed and changed back in between. The owning member takes from the front, and others
// take the later half. Other members exchange the word only if the batch is not empty. So the
// owning member may store a new batch over an empty one by a plain store. All orders are relaxed,
// as in schedules.h, because no data passes except the word itself.
//
// Chunk numbers are below 2^32 (fits). Batch is a template over the atomics, so that the explorer
// and modelled machines can use it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.h"
#include "base/cache_line.h"

namespace teff::loop {

// The chunks with the numbers begin .. end - 1.
struct Chunks {
    std::uint64_t begin = 0, end = 0;

    bool operator==(const Chunks&) const = default;
};

template <class Atomics> class alignas(base::kCacheLine) BatchOver {
  public:
    // Returns true if a batch can hold the chunks of a loop with this many chunks.
    static bool fits(std::uint64_t chunks) { return chunks <= 0xffff'ffffu; }

    // Takes the first `size(left)` of the chunks that are left; `size` returns at least 1. Returns
    // false if the batch is empty.
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

    // Takes the later half; if one chunk is left, takes this chunk. Returns false if the batch is
    // empty.
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

    // Stores chunks. Called by the owning member, if the batch is empty, or by the thread that sets
    // the loop up.
    void fill(const Chunks& chunks) { word_.store(pack(chunks), std::memory_order_relaxed); }

    // Returns the number of chunks that are left. This is a hint: it may be out of date.
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
