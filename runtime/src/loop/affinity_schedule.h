// SPDX-License-Identifier: Apache-2.0
//
// The affinity schedule: dynamic and guided loops whose chunks stay where a static loop has them
// (Markatos and LeBlanc, Supercomputing 1992, affinity scheduling), and so on the NUMA node that
// has touched their data first. For teams whose scheduler knows homes (TEFF_SCHEDULE=locality), in
// place of the stealing schedule and of a nonmonotonic guided one.
//
// The loop is divided among the members as schedule(static) divides it, each boundary moved to the
// nearest chunk's. A member takes from the front of its own share: a chunk, or, if the loop is
// guided, half of what is left there. That is a guided loop's rule for each share: half of a
// member's part of what is left instead of all of it. A member whose share is empty helps: it
// steals the later half of the fullest share of its own node, or, when they are all empty, of the
// fullest of any; of equal ones elsewhere, of the nearest. So the members of a node have its shares
// to themselves, as far as they are a match for them.
//
//     share (a batch) --take (its member)--> run
//         └──────help (any member whose own is empty): the later half──> helper's share
//
// The member that has run the loop's last chunk must take no more: compilers copy lastprivate
// variables out from the member whose last chunk ended at the loop's end. That chunk is in no
// share, and a member takes it only when it finds all shares empty, so that nothing stays behind
// for members that may come late. `next` counts the members that have asked for it: the first one
// gets it.
//
// Each chunk is taken once: a share is a Batch, and `next` only increases. Chunks that a helper has
// stolen and not yet put into its share are seen by nobody else; the helper runs them. All orders
// are relaxed, as in batch.h. Needs chunk numbers that fit a batch; longer loops use one counter.
#pragma once

#include "loop/batch.h"
#include "loop/schedules.h"

namespace teff::loop {

template <class Atomics> class AffinityScheduleOver {
  public:
    using Batch = BatchOver<Atomics>;
    using Counter = typename Atomics::template atomic<std::uint64_t>;

    // Of a loop of `count` iterations in chunks of `chunk`, for so many members.
    struct Shape {
        std::uint64_t count, chunk;
        unsigned members;
        bool guided;
    };

    // `shares` has one Batch per member; `next` is 0 when the loop begins.
    AffinityScheduleOver(Counter& next, Batch* shares, const Shape& shape)
        : next_(next), shares_(shares), shape_(shape), chunks_(count_chunks(shape.count, shape.chunk)) {}

    // Who sets the loop up.
    void divide() const {
        std::uint64_t begin = 0;
        for (unsigned member = 0; member < shape_.members; ++member) {
            const std::uint64_t end = begin_of_share(member + 1);
            shares_[member].fill({begin < in_shares() ? begin : in_shares(), end < in_shares() ? end : in_shares()});
            begin = end;
        }
    }

    // `steps(other)`: how far that member is, 0 if it is on the caller's node.
    template <class Steps> bool take(unsigned member, const Steps& steps, Chunks& taken) const {
        const auto size = [&](std::uint64_t left) { return shape_.guided ? (left + 1) / 2 : 1; };
        return TEFF_LIKELY(shares_[member].take_first(size, taken)) || take_elsewhere(member, steps, taken);
    }

    // Has it the loop's last chunk? Then its member is to take no more.
    bool has_last(const Chunks& taken) const { return taken.end == chunks_; }

    // The iterations.
    Span span_of(const Chunks& taken) const {
        const std::uint64_t first = taken.begin * shape_.chunk;
        return {first, taken.end == chunks_ ? shape_.count : taken.end * shape_.chunk};
    }

  private:
    std::uint64_t in_shares() const { return chunks_ == 0 ? 0 : chunks_ - 1; } // all but the last one

    // The chunk that begins nearest to the first iteration of the member's static block.
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
            if (!shares_[whom].take_later_half(taken)) continue; // emptied meanwhile
            const std::uint64_t now = shape_.guided ? (taken.end - taken.begin + 1) / 2 : 1;
            if (taken.begin + now < taken.end) shares_[member].fill({taken.begin + now, taken.end});
            taken.end = taken.begin + now;
            return true;
        }
    }

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
