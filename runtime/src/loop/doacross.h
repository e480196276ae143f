// SPDX-License-Identifier: Apache-2.0
//
// Doacross: the cross-iteration dependences of a loop nest, ordered(n). An iteration announces that
// it has reached its source, and others wait for it.
//
// The outermost loop is divided among the members. Each runs its chunks, and the inner loops in
// them, in the order of the iterations. So one number describes the progress of a chunk: how far
// its member has come, counted over the whole nest (number below). Waiting for an iteration is
// waiting until its chunk's number is above it. The end of a chunk counts as the source of all
// iterations in it.
//
// There is a Progress for each of a limited number of lanes. Chunk c uses lane c modulo their
// number, after chunk c - lanes is complete: its member waits for that before it begins. Numbers
// only grow from chunk to chunk, so a thread that still waits for the earlier chunk goes on.
//
// No deadlock: chunks are handed out in order, and every wait, for a lane too, is for iterations
// that come earlier in the nest. The member that runs the earliest unfinished iteration waits for
// nothing.
//
// A nest may have more iterations than a number can count. Then inner loops are left out of the
// number, from the innermost, and a wait is for all iterations that share the rest. That is later
// than needed but safe by the same argument.
//
// Belongs to a WorkShare, which frees it; set up by the member that claimed that. One block of
// memory, which holds the counts, the chunk map's table and the lanes behind the header. Waits
// sleep after a moment and block the thread: a sink is no task scheduling point.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/call_site.h"
#include "loop/chunk_map.h"
#include "loop/progress.h"
#include "loop/work_share.h"
#include "team/worker.h"

namespace teff::loop {

// Numbers as GCC passes them for the loops of a doacross nest, outermost first: an array of `long`
// or of `unsigned long long`.
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
    // For a construct with a monotonic schedule. A member alone waits for nobody, but the numbers
    // of its iterations are recorded. Null if some loop has no iterations.
    static Doacross* make(const WorkShare& share, const DoacrossShape& shape);

    // The number of the iteration with these indices: the outermost one, then what next_inner()
    // gives. False: there is no such iteration.
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

    // The number that an iteration's source raises the progress to: if loops are left out, others
    // that share its number are to come.
    std::uint64_t posted_by(std::uint64_t number) const { return number + (all_counted_ ? 1 : 0); }

    // The number of the first iteration of the nest with this index in the outermost loop.
    std::uint64_t number_at(std::uint64_t outermost) const { return outermost * inner_; }

    Progress& lane_for(std::uint64_t outermost) const { return lanes_[map_.chunk_of(outermost) & lane_mask_]; }

    // What must be done before a chunk with this first iteration may use its lane; 0: nothing.
    std::uint64_t needed_for_lane(std::uint64_t first) const {
        const std::uint64_t chunk = map_.chunk_of(first);
        return chunk <= lane_mask_ ? 0 : number_at(map_.start_of(chunk - lane_mask_));
    }

  private:
    static constexpr unsigned kLanesPerMember = 4;

    explicit Doacross(const ChunkMap& map) : map_(map) {}
    void choose_counted_loops(const DoacrossShape& shape);

    ChunkMap map_;
    unsigned counted_ = 1; // loops that make up the number
    bool all_counted_ = true;
    std::uint64_t inner_ = 1;     // iterations of the counted loops but the outermost
    std::uint64_t lane_mask_ = 0; // their number is a power of two
    std::uint64_t* counts_ = nullptr;
    Progress* lanes_ = nullptr;
};

// The calling member has taken a chunk; it is through with it (no effect if it has none).
void begin_doacross_chunk(team::Worker& worker, Span span, base::CallSite site);
void end_doacross_chunk(team::Member& member);

// depend(source): the iteration at `position` has come to its source. No effect outside doacross
// loops.
void doacross_post(team::Worker& worker, IndexVector position);

// Waits until the iteration with the outermost index `outermost` has come to its source.
void wait_for_iteration(team::Worker& worker, const Doacross& doacross, std::uint64_t outermost, std::uint64_t number,
                        base::CallSite site);

// Tells the probes of a sink, and waits. For a nest of more loops than a probe's array holds, it
// tells of the outer ones.
inline constexpr unsigned kToldLoops = 64;
void tell_sink_and_wait(team::Worker& worker, const unsigned long long (&indices)[kToldLoops], base::CallSite site,
                        base::Ticks met);

template <class NextInner>
TEFF_APART void doacross_wait_probed(team::Worker& worker, std::uint64_t outermost, NextInner&& next_inner,
                                     base::CallSite site) {
    const base::Ticks met = base::ticks();
    unsigned long long indices[kToldLoops]; // not all of them: that would take longer than the rest
    indices[0] = outermost;
    const unsigned loops = worker.member->loop.current->nest;
    for (unsigned i = 1; i < loops && i < kToldLoops; ++i)
        indices[i] = next_inner();
    tell_sink_and_wait(worker, indices, site, met);
}

// depend(sink): waits for the source of the iteration with these indices: the outermost one, then
// what next_inner() gives. An iteration that does not exist is ignored.
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
