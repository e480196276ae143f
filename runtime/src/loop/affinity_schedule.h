// SPDX-License-Identifier: Apache-2.0
//
// The affinity schedule of dynamic and guided loops: if possible, chunks run where a static loop
// would run them, that is, on the NUMA node that first touched their data (affinity scheduling:
// Markatos and LeBlanc, Supercomputing 1992). Teams whose scheduler knows homes
// (TEFF_SCHEDULE=locality) use this schedule instead of the stealing schedule and the nonmonotonic
// guided schedule.
//
// The loop is divided into shares as schedule(static) divides it among the members, except that
// each boundary is moved to the nearest boundary between chunks. A member takes from the front of
// its own share: one chunk, or, if the loop is guided, half of what is left in the share. (In the
// usual guided schedule, a chunk is a member's part of all iterations left in the loop; here it is
// half of those left in the member's share.) A member whose share is empty helps: it steals the
// later half of the fullest share of its own node. If all shares of its node are empty, it chooses
// the fullest share of any node, and among equally full shares the nearest. So as long as the
// members of a node are as fast as the other members, they run all shares of their node themselves.
//
//     share (a batch) --take (its member)--> run
//         └──────help (any member whose own is empty): the later half──> helper's share
//
// The member that runs the loop's last chunk must not take another chunk afterwards, because
// compilers copy lastprivate variables out from the member whose last chunk ended at the loop's
// end. So the last chunk is in no share. A member takes it only when it finds all shares empty, so
// that no chunk is left for members that may come late. `next` counts the attempts to take the last
// chunk: the first attempt gets it.
//
// Each chunk is taken once: a share is a Batch, and `next` only increases. Chunks that a helper has
// stolen and not yet put into its share are visible to no other member; the helper runs them. All
// orders are relaxed, as in batch.h. The schedule requires chunk numbers that fit a batch; longer
// loops use one counter.
#pragma once

#include "loop/batch.h"
#include "loop/schedules.h"

namespace teff::loop {

template <class Atomics> class AffinityScheduleOver {
  public:
    using Batch = BatchOver<Atomics>;
    using Counter = typename Atomics::template atomic<std::uint64_t>;

    // A loop of `count` iterations in chunks of `chunk`, for `members` members.
    struct Shape {
        std::uint64_t count, chunk;
        unsigned members;
        bool guided;
    };

    // `shares` has one Batch per member; `next` is 0 when the loop begins.
    AffinityScheduleOver(Counter& next, Batch* shares, const Shape& shape)
        : next_(next), shares_(shares), shape_(shape), chunks_(count_chunks(shape.count, shape.chunk)) {}

    // Divides the chunks among the shares. Called by the thread that sets the loop up.
    void divide() const {
        std::uint64_t begin = 0;
        for (unsigned member = 0; member < shape_.members; ++member) {
            const std::uint64_t end = begin_of_share(member + 1);
            shares_[member].fill({begin < in_shares() ? begin : in_shares(), end < in_shares() ? end : in_shares()});
            begin = end;
        }
    }

    // Takes the next chunks for `member`. Returns false if there are none. `steps(other)`: the
    // distance of the other member from the caller; 0 if it is on the caller's node.
    template <class Steps> bool take(unsigned member, const Steps& steps, Chunks& taken) const {
        const auto size = [&](std::uint64_t left) { return shape_.guided ? (left + 1) / 2 : 1; };
        return TEFF_LIKELY(shares_[member].take_first(size, taken)) || take_elsewhere(member, steps, taken);
    }

    // Returns true if `taken` contains the loop's last chunk. Then the member must not take further
    // chunks.
    bool has_last(const Chunks& taken) const { return taken.end == chunks_; }

    // Returns the iterations of these chunks.
    Span span_of(const Chunks& taken) const {
        const std::uint64_t first = taken.begin * shape_.chunk;
        return {first, taken.end == chunks_ ? shape_.count : taken.end * shape_.chunk};
    }

  private:
    std::uint64_t in_shares() const { return chunks_ == 0 ? 0 : chunks_ - 1; } // number of chunks without the last one

    // Returns the number of the chunk that begins nearest to the first iteration of the member's
    // static block.
    std::uint64_t begin_of_share(unsigned member) const {
        if (member == shape_.members) return chunks_;
        const std::uint64_t first = static_block(shape_.count, shape_.members, member).first;
        return first / shape_.chunk + (first % shape_.chunk > shape_.chunk / 2 ? 1 : 0);
    }
    template <class Steps>
    [[gnu::noinline]] bool take_elsewhere(unsigned member, const Steps& steps, Chunks& taken) const {
        return help(member, steps, taken) || take_last(taken);
    }

    bool take_last(Chunks& taken) const {
        if (chunks_ == 0 || next_.load(std::memory_order_relaxed) != 0) return false;
        taken = {chunks_ - 1, chunks_};
        return next_.fetch_add(1, std::memory_order_relaxed) == 0;
    }

    template <class Steps> bool help(unsigned member, const Steps& steps, Chunks& taken) const {
        for (;;) {
            const unsigned whom = fullest(member, steps);
            if (whom == shape_.members) return false;
            if (!shares_[whom].take_later_half(taken)) continue; // the share was emptied meanwhile
            const std::uint64_t now = shape_.guided ? (taken.end - taken.begin + 1) / 2 : 1;
            if (taken.begin + now < taken.end) shares_[member].fill({taken.begin + now, taken.end});
            taken.end = taken.begin + now;
            return true;
        }
    }

    // Returns the member from whose share `member` is to steal; the number of members if all shares
    // are empty.
    template <class Steps> unsigned fullest(unsigned member, const Steps& steps) const {
        unsigned best = shape_.members, best_steps = 0;
        std::uint64_t best_size = 0;
        for (unsigned i = 1; i < shape_.members; ++i) {
            const unsigned other = (member + i) % shape_.members;
            const std::uint64_t size = shares_[other].size();
            if (size == 0) continue;
            const unsigned far = steps(other);
            const bool same_side = (far == 0) == (best_steps == 0);
            const bool fuller = size > best_size || (size == best_size && far < best_steps);
            if (best != shape_.members && !(same_side ? fuller : far == 0)) continue;
            best = other, best_size = size, best_steps = far;
        }
        return best;
    }

    Counter& next_;
    Batch* shares_;
    Shape shape_;
    std::uint64_t chunks_;
};

using AffinitySchedule = AffinityScheduleOver<base::RealAtomics>;

} // namespace teff::loop
