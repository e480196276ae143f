// SPDX-License-Identifier: Apache-2.0
//
// Doacross: the cross-iteration dependences of a loop nest, ordered(n). An iteration announces that
// it has reached its source, and other iterations wait for this.
//
// The outermost loop is divided among the members. Each member runs its chunks, and the inner loops
// in them, in the order of the iterations. So one number describes the progress of a chunk: the
// position of its member, counted over the whole nest (`number` below). A wait for an iteration
// ends when the number of the iteration's chunk is above the iteration's own number. The end of a
// chunk counts as the source of all iterations in the chunk.
//
// There is a limited number of lanes, and a Progress for each. Chunk c uses lane (c modulo the
// number of lanes) after chunk (c - number of lanes) is complete: the member of chunk c waits until
// that chunk is complete before it begins. Numbers only grow from chunk to chunk, so a thread that
// still waits for the earlier chunk is released.
//
// There is no deadlock: chunks are handed out in order, and a member waits, for an iteration or for
// a lane, only for iterations that come earlier in the nest. The member that runs the earliest
// unfinished iteration never waits.
//
// A nest may have more iterations than a 64-bit number can count. In that case the number counts
// only outer loops: inner loops are left out, the innermost first, until the number fits. A thread
// then waits for all iterations that have the same indices in the counted loops. Such a wait ends
// later than necessary, but is safe for the reasons above.
//
// A Doacross belongs to a WorkShare, which frees it. The member that sets up the WorkShare sets up
// the Doacross. It is one block of memory: the counts, the chunk map's table and the lanes follow
// the header. A wait spins for a moment, then sleeps and blocks the thread, because a sink is not a
// task scheduling point.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/call_site.h"
#include "loop/chunk_map.h"
#include "loop/progress.h"
#include "loop/work_share.h"
#include "team/worker.h"

namespace teff::loop {

// The indices or counts of the loops of a doacross nest as GCC passes them, outermost first: an
// array of `long` or of `unsigned long long`.
class IndexVector {
  public:
    IndexVector() = default;
    IndexVector(const long* array) : array_(array) {}
    IndexVector(const unsigned long long* array) : array_(array) {}

    std::uint64_t operator[](unsigned i) const { // none is negative
        std::uint64_t value;
        std::memcpy(&value, static_cast<const char*>(array_) + i * sizeof value, sizeof value);
        return value;
    }

  private:
    const void* array_ = nullptr;
};

// The extent of each loop of the nest, as the construct gives it.
struct DoacrossShape {
    unsigned loops = 0; // 0: no doacross loop
    IndexVector counts;
};

class Doacross {
  public:
    // Makes the Doacross of a construct with a monotonic schedule. (A member that is alone never
    // waits, but needs the numbers of its iterations for a recording.) Returns null if some loop
    // has no iterations.
    static Doacross* make(const WorkShare& share, const DoacrossShape& shape);

    // Computes the number of the iteration with these indices: `outermost`, then the values that
    // next_inner() returns. Returns false if the nest has no such iteration.
    template <class NextInner>
    bool number_of(std::uint64_t outermost, NextInner&& next_inner, std::uint64_t& number) const {
        number = outermost;
        if (outermost >= counts_[0]) return false;
        for (unsigned i = 1; i < counted_; ++i) {
            const std::uint64_t index = next_inner();
            if (index >= counts_[i]) return false;
            number = number * counts_[i] + index;
        }
        return true;
    }

    // Returns the number to which the source of the iteration `number` raises the progress. If
    // loops are left out of the count, this is `number` itself: because other iterations with this
    // number are still to come.
    std::uint64_t posted_by(std::uint64_t number) const { return number + (all_counted_ ? 1 : 0); }

    // Returns the number of the first iteration of the nest with this index in the outermost loop.
    std::uint64_t number_at(std::uint64_t outermost) const { return outermost * inner_; }

    // Returns the lane of the chunk to which this index of the outermost loop belongs.
    Progress& lane_for(std::uint64_t outermost) const { return lanes_[map_.chunk_of(outermost) & lane_mask_]; }

    // Returns the number that the lane's progress must reach before a chunk with this first
    // iteration may use the lane; 0 if the chunk may use it at once.
    std::uint64_t needed_for_lane(std::uint64_t first) const {
        const std::uint64_t chunk = map_.chunk_of(first);
        return chunk <= lane_mask_ ? 0 : number_at(map_.start_of(chunk - lane_mask_));
    }

  private:
    static constexpr unsigned kLanesPerMember = 4;

    explicit Doacross(const ChunkMap& map) : map_(map) {}
    void choose_counted_loops(const DoacrossShape& shape);

    ChunkMap map_;
    unsigned counted_ = 1; // number of loops that are counted in an iteration's number
    bool all_counted_ = true;
    std::uint64_t inner_ = 1;     // iterations of the counted loops without the outermost
    std::uint64_t lane_mask_ = 0; // number of lanes - 1; the number is a power of two
    std::uint64_t* counts_ = nullptr;
    Progress* lanes_ = nullptr;
};

// begin_doacross_chunk is called when the member has taken a chunk; it waits until the chunk's lane
// is free. end_doacross_chunk is called when the member has finished its chunk; it raises the
// progress to the chunk's end. No effect if the member has no chunk.
void begin_doacross_chunk(team::Worker& worker, Span span, base::CallSite site);
void end_doacross_chunk(team::Member& member);

// depend(source): called when the iteration at `position` has reached its source. No effect outside
// doacross loops.
void doacross_post(team::Worker& worker, IndexVector position);

// Waits until the iteration `number`, whose index in the outermost loop is `outermost`, has reached
// its source.
void wait_for_iteration(team::Worker& worker, const Doacross& doacross, std::uint64_t outermost, std::uint64_t number,
                        base::CallSite site);

// Reports a sink to the probes, and waits for it. For a nest with more than kToldLoops loops,
// reports the kToldLoops outermost loops. `met`: the time at which the member met the sink.
inline constexpr unsigned kToldLoops = 64;
void tell_sink_and_wait(team::Worker& worker, const unsigned long long (&indices)[kToldLoops], base::CallSite site,
                        base::Ticks met);

template <class NextInner>
TEFF_APART void doacross_wait_probed(team::Worker& worker, std::uint64_t outermost, NextInner&& next_inner,
                                     base::CallSite site) {
    const base::Ticks met = base::ticks();
    unsigned long long indices[kToldLoops]; // left uninitialised: filling it would take longer than all the rest
    indices[0] = outermost;
    const unsigned loops = worker.member->loop.current->nest;
    for (unsigned i = 1; i < loops && i < kToldLoops; ++i)
        indices[i] = next_inner();
    tell_sink_and_wait(worker, indices, site, met);
}

// depend(sink): waits for the source of the iteration with these indices: `outermost`, then the
// values that next_inner() returns. No effect if the iteration does not exist.
template <class NextInner>
void doacross_wait(team::Worker& worker, std::uint64_t outermost, NextInner&& next_inner, base::CallSite site) {
    const WorkShare* share = worker.member->loop.current;
    std::uint64_t number;
    if (share == nullptr) return;
    if (TEFF_UNLIKELY(worker.probes != 0)) return doacross_wait_probed(worker, outermost, next_inner, site);
    if (share->doacross == nullptr) return;
    if (share->doacross->number_of(outermost, next_inner, number))
        wait_for_iteration(worker, *share->doacross, outermost, number, site);
}

} // namespace teff::loop
