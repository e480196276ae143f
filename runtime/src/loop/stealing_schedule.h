// SPDX-License-Identifier: Apache-2.0
//
// The nonmonotonic dynamic schedule: chunks of equal size, without a counter that all members
// update for every chunk.
//
// A member takes a batch of chunks (batch.h) at a time from the shared counter and then takes these
// chunks one by one. Batches are small, so chunks still start roughly in order. Near the loop's end
// a batch is a single chunk. When the counter has reached the end, a member without chunks steals
// the later half of another member's batch.
//
//     counter --refill (its member)--> batch --take (its member, one by one)--> run
//                                        └──────steal half (any)──> thief's batch
//
// A chunk that is stolen but not yet in the thief's batch is visible to no other member. The other
// members may then find no chunk and leave. The thief runs the chunks that it took, so each chunk
// still runs exactly once.
//
// The schedule requires chunk numbers that fit a batch. Loops with more chunks use the monotonic
// schedule. In teams whose scheduler gives tasks home nodes, affinity_schedule.h replaces this
// schedule.
#pragma once

#include "loop/batch.h"

namespace teff::loop {

template <class Atomics> class StealingScheduleOver {
  public:
    using Batch = BatchOver<Atomics>;
    using Counter = typename Atomics::template atomic<std::uint64_t>;

    // `batches` has one Batch per member; all are empty when the loop begins. `next` is the
    // counter.
    StealingScheduleOver(Counter& next, Batch* batches, std::uint64_t chunks, unsigned members)
        : next_(next), batches_(batches), chunks_(chunks), members_(members) {}

    // HOT chunk_dynamic: one uncontended exchange.
    bool take(unsigned member, std::uint64_t& chunk) {
        Chunks taken;
        if (TEFF_LIKELY(batches_[member].take_first([](std::uint64_t) { return 1; }, taken))) {
            chunk = taken.begin;
            return true;
        }
        return refill(member, chunk) || steal(member, chunk) || take_last(chunk);
    }

    // Returns true if this is the loop's last chunk. Then its member must not take further chunks.
    bool is_last(std::uint64_t chunk) const { return chunk + 1 == chunks_; }

  private:
    static constexpr std::uint64_t kLargestBatch = 64;
    static constexpr std::uint64_t kBatchesPerMember = 8; // a part of the remaining chunks, so the
                                                          // last batches are small

    std::uint64_t batch_size(std::uint64_t remaining) const {
        const std::uint64_t size = remaining / (kBatchesPerMember * members_);
        if (size == 0) return 1;
        return size < kLargestBatch ? size : kLargestBatch;
    }

    // Returns the first chunk to the caller, and makes the others the member's batch.
    void keep(unsigned member, const Chunks& taken, std::uint64_t& chunk) {
        chunk = taken.begin;
        if (taken.begin + 1 < taken.end) batches_[member].fill({taken.begin + 1, taken.end});
    }

    [[gnu::noinline]] bool refill(unsigned member, std::uint64_t& chunk) {
        std::uint64_t begin = next_.load(std::memory_order_relaxed), end;
        do {
            if (begin + 1 >= chunks_) return false;
            end = begin + batch_size(chunks_ - begin); // never the last chunk: near the end a batch is one chunk
        } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed, std::memory_order_relaxed));
        keep(member, {begin, end}, chunk);
        return true;
    }

    [[gnu::noinline]] bool steal(unsigned member, std::uint64_t& chunk) {
        for (unsigned step = 1; step < members_; ++step) {
            const unsigned victim = member + step < members_ ? member + step : member + step - members_;
            if (steal_from(victim, member, chunk)) return true;
        }
        return false;
    }

    bool take_last(std::uint64_t& chunk) {
        chunk = chunks_ - 1;
        std::uint64_t last = chunk;
        return chunks_ != 0 &&
               next_.compare_exchange_strong(last, chunks_, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    bool steal_from(unsigned victim, unsigned member, std::uint64_t& chunk) {
        Chunks stolen;
        if (!batches_[victim].take_later_half(stolen)) return false;
        keep(member, stolen, chunk);
        return true;
    }

    Counter& next_;
    Batch* batches_;
    std::uint64_t chunks_;
    unsigned members_;
};

using StealingSchedule = StealingScheduleOver<base::RealAtomics>;

} // namespace teff::loop
