// SPDX-License-Identifier: Apache-2.0
//
// The nonmonotonic dynamic schedule: chunks of equal size, without a counter that all members fight
// for.
//
// A member takes a batch of chunks at a time from the shared counter and hands them to itself one
// by one. A batch is small enough that chunks still start roughly in order, and single chunks near
// the end. When the counter has run out, a member without chunks steals the later half of another
// member's batch.
//
//     counter --refill (its member)--> batch --take (its member, one by one)--> run
//                                        └──────steal half (any)──> thief's batch
//
// A batch is one word, begin and end packed, so it says everything about itself: whoever exchanges
// the word it has seen takes chunks that nobody else has taken, whatever happened to the batch in
// between. Only a batch that is not empty is ever exchanged by others, so its member may simply
// store a new one over an empty one. Relaxed, as in schedules.h: the word is all that
// passes.
//
// A chunk that is stolen but not yet in the thief's batch is seen by nobody else. Others may then
// find nothing and leave; the thief runs what it took, so each chunk still runs exactly once.
//
// Needs chunk numbers below 2^32 (fits). Loops with more chunks use the monotonic schedule.
#pragma once

#include <atomic>

#include "base/cache_line.h"
#include "loop/iterations.h"

namespace teff::loop {

struct alignas(base::kCacheLine) Batch {
    std::atomic<std::uint64_t> word{0};
};

class StealingSchedule {
  public:
    // `batches` has one Batch per member; all are empty when the loop begins. `next` is the
    // counter.
    StealingSchedule(std::atomic<std::uint64_t>& next, Batch* batches, std::uint64_t chunks, unsigned members)
        : next_(next), batches_(batches), chunks_(chunks), members_(members) {}

    static bool fits(std::uint64_t chunks) { return chunks <= 0xffff'ffffu; }

    // HOT chunk_dynamic: one uncontended exchange.
    bool take(unsigned member, std::uint64_t& chunk) {
        std::atomic<std::uint64_t>& own = batches_[member].word;
        std::uint64_t word = own.load(std::memory_order_relaxed);
        while (TEFF_LIKELY(begin_of(word) < end_of(word))) {
            if (TEFF_LIKELY(own.compare_exchange_weak(word, word + 1, std::memory_order_relaxed))) {
                chunk = begin_of(word);
                return true;
            }
        }
        return refill(member, chunk) || steal(member, chunk);
    }

  private:
    static constexpr std::uint64_t kLargestBatch = 64;
    static constexpr std::uint64_t kBatchesPerMember = 8; // of what is left: the last batches are small

    static std::uint64_t begin_of(std::uint64_t word) { return word & 0xffff'ffffu; }
    static std::uint64_t end_of(std::uint64_t word) { return word >> 32; }
    static std::uint64_t pack(std::uint64_t begin, std::uint64_t end) { return end << 32 | begin; }

    std::uint64_t batch_size(std::uint64_t remaining) const {
        const std::uint64_t size = remaining / (kBatchesPerMember * members_);
        if (size == 0) return 1;
        return size < kLargestBatch ? size : kLargestBatch;
    }

    // Keeps the first of the chunks begin .. end - 1 for itself and makes the others the member's
    // batch.
    void keep(unsigned member, std::uint64_t begin, std::uint64_t end, std::uint64_t& chunk) {
        chunk = begin;
        if (begin + 1 < end) batches_[member].word.store(pack(begin + 1, end), std::memory_order_relaxed);
    }

    [[gnu::noinline]] bool refill(unsigned member, std::uint64_t& chunk) {
        std::uint64_t begin = next_.load(std::memory_order_relaxed), end;
        do {
            if (begin >= chunks_) return false;
            end = begin + batch_size(chunks_ - begin);
        } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
        keep(member, begin, end, chunk);
        return true;
    }

    [[gnu::noinline]] bool steal(unsigned member, std::uint64_t& chunk) {
        for (unsigned step = 1; step < members_; ++step) {
            const unsigned victim = member + step < members_ ? member + step : member + step - members_;
            if (steal_from(victim, member, chunk)) return true;
        }
        return false;
    }

    bool steal_from(unsigned victim, unsigned member, std::uint64_t& chunk) {
        std::atomic<std::uint64_t>& batch = batches_[victim].word;
        std::uint64_t word = batch.load(std::memory_order_relaxed);
        while (begin_of(word) < end_of(word)) {
            const std::uint64_t half = (end_of(word) - begin_of(word) + 1) / 2;
            const std::uint64_t middle = end_of(word) - half;
            if (!batch.compare_exchange_weak(word, pack(begin_of(word), middle), std::memory_order_relaxed)) continue;
            keep(member, middle, middle + half, chunk);
            return true;
        }
        return false;
    }

    std::atomic<std::uint64_t>& next_;
    Batch* batches_;
    std::uint64_t chunks_;
    unsigned members_;
};

} // namespace teff::loop
