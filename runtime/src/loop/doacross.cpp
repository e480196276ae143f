// SPDX-License-Identifier: Apache-2.0
#include "loop/doacross.h"

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "base/round_up.h"
#include "loop/events.h"
#include "task/blocked_wait.h"

namespace teff::loop {

namespace {

bool has_iterations(const DoacrossShape& shape) {
    for (unsigned i = 0; i < shape.loops; ++i)
        if (shape.counts[i] == 0) return false;
    return shape.loops != 0;
}

char* allocate(std::size_t bytes) {
    void* block = std::aligned_alloc(base::kCacheLine, bytes);
    if (block == nullptr)
        base::fatal(errno, "no memory for a loop with cross-iteration dependences (%zu bytes)", bytes);
    return static_cast<char*>(block);
}

// Waits until the lane's number is at least `number`, or until the construct is given up, because
// the number may then never be reached.
void wait_for(team::Worker& worker, Progress& lane, std::uint64_t number, base::CallSite site) {
    if (lane.is(number)) return;
    const team::Team& team = *worker.member->team;
    const WorkShare& share = *worker.member->loop.current;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::turn_wait_begins(worker, site) : 0;
    task::BlockedWait(worker).until(
        [&] { return lane.is(number) || given_up(share, team); }, look_again_ns(),
        [&](std::uint64_t interval_ns, auto&& ready) { lane.wait_for(number, spins(team), interval_ns, ready); });
    if (probed) events::turn_wait_ends(worker, site, began);
}

} // namespace

// The number of the outermost loop's iterations always fits.
void Doacross::choose_counted_loops(const DoacrossShape& shape) {
    counts_[0] = shape.counts[0];
    while (counted_ < shape.loops) {
        const std::uint64_t count = shape.counts[counted_];
        std::uint64_t inner, all;
        all_counted_ =
            !__builtin_mul_overflow(inner_, count, &inner) && !__builtin_mul_overflow(inner, counts_[0], &all);
        if (!all_counted_) return;
        inner_ = inner;
        counts_[counted_++] = count;
    }
}

Doacross* Doacross::make(const WorkShare& share, const DoacrossShape& shape) {
    if (!has_iterations(shape)) return nullptr;
    const ChunkMap map(share);
    const std::uint64_t most = std::uint64_t{kLanesPerMember} * share.members;
    const std::size_t lanes = std::bit_ceil(map.chunks() < most ? map.chunks() : most);
    const std::size_t header =
        base::round_up(sizeof(Doacross) + (shape.loops + map.table_length()) * sizeof(std::uint64_t), base::kCacheLine);
    char* block = allocate(header + lanes * sizeof(Progress));
    auto* doacross = new (block) Doacross(map);
    doacross->counts_ = reinterpret_cast<std::uint64_t*>(block + sizeof(Doacross));
    doacross->choose_counted_loops(shape);
    doacross->map_.fill(doacross->counts_ + shape.loops);
    doacross->lanes_ = reinterpret_cast<Progress*>(block + header);
    doacross->lane_mask_ = lanes - 1;
    for (std::size_t i = 0; i < lanes; ++i)
        new (doacross->lanes_ + i) Progress;
    return doacross;
}

void begin_doacross_chunk(team::Worker& worker, Span span, base::CallSite site) {
    team::LoopPlace& place = worker.member->loop;
    place.ordered_first = span.first;
    place.ordered_count = span.last - span.first;
    const Doacross& doacross = *place.current->doacross;
    wait_for(worker, doacross.lane_for(span.first), doacross.needed_for_lane(span.first), site);
}

void end_doacross_chunk(team::Member& member) {
    team::LoopPlace& place = member.loop;
    if (place.ordered_count == 0) return;
    const Doacross& doacross = *place.current->doacross;
    doacross.lane_for(place.ordered_first).raise(doacross.number_at(place.ordered_first + place.ordered_count));
    place.ordered_count = 0;
}

namespace {

bool number_at(const Doacross& doacross, IndexVector position, std::uint64_t& number) {
    unsigned loop = 0;
    return doacross.number_of(position[0], [&] { return position[++loop]; }, number);
}

TEFF_APART void post_probed(team::Worker& worker, const WorkShare& share, IndexVector position) {
    const base::Ticks when = base::ticks();
    events::doacross_source(worker, position);
    std::uint64_t number;
    if (share.doacross == nullptr || !number_at(*share.doacross, position, number)) return;
    share.doacross->lane_for(position[0]).raise(share.doacross->posted_by(number));
    events::doacross_posted(worker, number, when);
}

} // namespace

void doacross_post(team::Worker& worker, IndexVector position) {
    const WorkShare* share = worker.member->loop.current;
    if (share == nullptr) return;
    if (TEFF_UNLIKELY(worker.probes != 0)) return post_probed(worker, *share, position);
    if (share->doacross == nullptr) return;
    std::uint64_t number;
    if (!number_at(*share->doacross, position, number)) return;
    share->doacross->lane_for(position[0]).raise(share->doacross->posted_by(number));
}

void tell_sink_and_wait(team::Worker& worker, const unsigned long long (&indices)[kToldLoops], base::CallSite site,
                        base::Ticks met) {
    events::doacross_sink(worker);
    const WorkShare& share = *worker.member->loop.current;
    if (share.doacross == nullptr) return;
    std::uint64_t number;
    if (!number_at(*share.doacross, indices, number)) return;
    wait_for_iteration(worker, *share.doacross, indices[0], number, site);
    events::doacross_waited(worker, indices, number, met);
}

void wait_for_iteration(team::Worker& worker, const Doacross& doacross, std::uint64_t outermost, std::uint64_t number,
                        base::CallSite site) {
    const team::LoopPlace& place = worker.member->loop;
    if (outermost - place.ordered_first < place.ordered_count) return; // in its own chunk, which runs in order
    wait_for(worker, doacross.lane_for(outermost), number + 1, site);
}

} // namespace teff::loop
