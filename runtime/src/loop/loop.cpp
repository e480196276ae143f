// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include "loop/doacross.h"
#include "loop/events.h"
#include "loop/ordered.h"
#include "loop/schedules.h"
#include "loop/stealing_schedule.h"
#include "mem/near_nodes.h"
#include "region/region.h"

namespace teff::loop {

constinit WorkShare all_taken;

namespace {

// A member that has had the loop's last chunk takes no more: stealing_schedule.h.
bool take_stealing(WorkShare& share, team::Member& member, Span& span) {
    std::uint64_t chunk;
    if (member.loop.took_last) return false;
    StealingSchedule schedule(share.next, share.batches, share.chunks, share.members);
    if (!schedule.take(member.number, chunk)) return false;
    member.loop.took_last = schedule.is_last(chunk);
    span = chunk_span(share.iterations.count, share.chunk, chunk);
    return true;
}

// A member whose node is not known yet counts as farther than all others.
unsigned steps_between(const team::Member& from, const team::Member& to) {
    const sched::Home here = from.node.load(std::memory_order_relaxed), there = to.node.load(std::memory_order_relaxed);
    if (there == sched::kNoHome) return mem::NearNodes::kMost;
    return mem::near_nodes().hops[here - 1][there - 1];
}

// A member publishes its node once in a loop, because it may have moved since the previous loop. It
// computes the distances of other members only when its own share is empty.
TEFF_COLD bool take_by_affinity(WorkShare& share, team::Member& member, Span& span) {
    if (member.loop.took_last) return false;
    if (member.loop.static_trip++ == 0)
        member.node.store(sched::home_on(mem::node_of_caller()), std::memory_order_relaxed);
    const auto steps = [&](unsigned other) { return steps_between(member, *member.team->members[other]); };
    const AffinitySchedule schedule = affinity_schedule(share);
    Chunks taken;
    if (!schedule.take(member.number, steps, taken)) return false;
    member.loop.took_last = schedule.has_last(taken);
    span = schedule.span_of(taken);
    return true;
}

[[gnu::always_inline]] inline bool take(WorkShare& share, team::Member& member, Span& span) {
    const std::uint64_t count = share.iterations.count;
    switch (share.schedule) {
    case Schedule::stealing:
        return take_stealing(share, member, span);
    case Schedule::dynamic:
        return dynamic_take(share.next, count, share.chunk, share.chunks, span);
    case Schedule::dynamic_alone:
        return dynamic_take_alone(share.next, count, share.chunk, share.chunks, span);
    case Schedule::guided:
        return guided_take(share.next, count, share.chunk, share.members, span);
    case Schedule::guided_whole:
        return guided_take<guided_size_whole>(share.next, count, share.chunk, share.members, span);
    case Schedule::affinity:
    case Schedule::affinity_guided:
        return take_by_affinity(share, member, span);
    case Schedule::static_:
        return static_take(count, share.chunk, share.members, member.number, member.loop.static_trip, span);
    }
    __builtin_unreachable();
}

// `next` with all features that a plain loop does not need: order, dependences, cancellation,
// recording.
[[gnu::noinline]] bool next_slow(team::Worker& worker, Span& span, base::CallSite site) {
    team::Member& member = *worker.member;
    WorkShare& share = *member.loop.current;
    if (worker.probes != 0) events::chunk_ends(worker);
    if (share.ordered) pass_turn(worker, site);
    if (share.doacross != nullptr) end_doacross_chunk(member);
    if (share.cancelled.load(std::memory_order_relaxed) || !take(share, member, span)) return false; // cancel.h
    if (share.ordered) hold_for_turn(member, span);
    if (share.doacross != nullptr) begin_doacross_chunk(worker, span, site);
    if (worker.probes != 0) events::chunk_begins(worker, span, site);
    return true;
}

// A combined construct was set up by the leader; the members enter it when they first ask for work.
TEFF_COLD WorkShare& enter_combined(team::Worker& worker) {
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? base::ticks() : 0;
    const Entry entry = enter(worker);
    if (entry.first) { // a program that asks for a chunk without a loop gets none
        set_up(worker, *worker.member->team, entry.share, {});
        open(entry.share);
    }
    if (TEFF_UNLIKELY(met != 0)) events::entered(worker, met);
    return entry.share;
}

// Returns the memory that the construct shares, and registers its task reductions.
void attach_extras(team::Worker& worker, const WorkShare& share, const LoopRequest& request, bool first) {
    if (request.reductions.own != nullptr)
        request.reductions.enter(worker, request.reductions.own, first ? nullptr : share.reductions);
    if (request.memory != nullptr) *request.memory = share.memory;
}

// Returns the time at which the member's wait for the others begins, if it has to wait; 0 without a
// probe.
base::Ticks end_own_part(team::Worker& worker) {
    const base::Ticks left = TEFF_UNLIKELY(worker.probes != 0) ? events::left(worker) : 0;
    leave(worker);
    return left;
}

} // namespace

// HOT chunk_dynamic: budget 45 ns a chunk at two members.
bool next(team::Worker& worker, Span& span, base::CallSite site) {
    team::Member& member = *worker.member;
    WorkShare* share = member.loop.current;
    if (TEFF_UNLIKELY(share == nullptr)) share = &enter_combined(worker);
    if (TEFF_UNLIKELY(share->ordered || share->doacross != nullptr || share->cancellable || worker.probes != 0))
        return next_slow(worker, span, site);
    return take(*share, member, span);
}

void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request) {
    share.iterations = request.iterations;
    share.ordered = request.ordered && share.members > 1; // a member alone always has the turn
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    set_schedule(share, request.schedule, probed);
    if (share.ordered) share.turn.reset();
    if (request.doacross.loops != 0 && (share.members > 1 || probed))
        share.doacross = Doacross::make(share, request.doacross);
    if (request.memory != nullptr) allocate_memory(share, reinterpret_cast<std::size_t>(*request.memory));
    share.reductions = request.reductions.own;
    share.nest = request.doacross.loops;
    if (probed) events::set_up(worker, team, share, request);
}

void start(team::Worker& worker, const LoopRequest& request) {
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? base::ticks() : 0;
    const Entry entry = enter(worker);
    const team::Team& team = *worker.member->team;
    if (entry.first) set_up(worker, team, entry.share, request);
    attach_extras(worker, entry.share, request, entry.first);
    if (entry.first) open(entry.share);
    if (TEFF_UNLIKELY(met != 0)) events::entered(worker, met);
}

void end_nowait(team::Worker& worker) { end_own_part(worker); }

void end(team::Worker& worker, base::CallSite site) {
    const base::Ticks left = end_own_part(worker);
    region::barrier(worker, region::BarrierKind::kImplicit, false, site, left);
}

bool end_cancel(team::Worker& worker, base::CallSite site) {
    const base::Ticks left = end_own_part(worker);
    return region::barrier(worker, region::BarrierKind::kImplicit, true, site, left);
}

namespace {

struct Preparation {
    team::Worker& worker;
    const LoopRequest& request;
};

// Called on the leader's thread, between the set-up of the team and the start of its members.
void prepare_loop(team::Team& team, void* argument) {
    auto& [worker, request] = *static_cast<Preparation*>(argument);
    WorkShare& share = claim_first(team);
    set_up(worker, team, share, request);
    open(share);
}

} // namespace

void begin_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request) {
    Preparation preparation{worker, request};
    construct.prepare = prepare_loop;
    construct.prepare_argument = &preparation;
    construct.program_calls_body = true;
    region::begin(worker, construct);
}

void run_parallel_loop(team::Worker& worker, region::Construct construct, const LoopRequest& request) {
    Preparation preparation{worker, request};
    construct.prepare = prepare_loop;
    construct.prepare_argument = &preparation;
    region::run(worker, construct);
}

} // namespace teff::loop
