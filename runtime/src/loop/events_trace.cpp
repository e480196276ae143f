// SPDX-License-Identifier: Apache-2.0
#include "loop/events.h"

#include "probe/trace/stream.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::loop::events::trace {

namespace {

std::uint8_t schedule_flags(const WorkShare& share, const LoopRequest& request) {
    std::uint8_t flags = TEFF_LOOP_DYNAMIC;
    if (share.schedule == Schedule::static_) flags = TEFF_LOOP_STATIC;
    for (const Schedule guided : {Schedule::guided, Schedule::guided_whole, Schedule::affinity_guided})
        if (share.schedule == guided) flags = TEFF_LOOP_GUIDED;
    if (request.sections) flags = TEFF_LOOP_SECTIONS;
    if (request.ordered || request.doacross.loops != 0) flags |= TEFF_LOOP_ORDERED;
    if (request.is_unsigned) flags |= TEFF_LOOP_ULL;
    return flags;
}

std::int64_t as_recorded(std::uint64_t value) { return static_cast<std::int64_t>(value); }

void end_chunk(team::Worker& worker, base::Ticks now) {
    team::LoopPlace& place = worker.member->loop;
    if (place.chunk_iterations == 0) return;
    worker.trace->chunk(place.chunk_start_ticks, now, place.current->id, worker.task->id,
                        as_recorded(place.chunk_first), place.chunk_iterations);
    place.chunk_iterations = 0;
}

// An explicit task is already a thread's share, and the initial task has no share.
bool has_share(const team::Worker& worker) {
    const team::Member& member = *worker.member;
    return worker.task == member.implicit_task && member.team->level > 0;
}

} // namespace

void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request) {
    const base::Ticks now = base::ticks();
    probe::trace::Stream& stream = *worker.trace;
    share.id = worker.instance_ids.next();
    team::prepare_sites(worker);
    const std::uint32_t site = stream.site(request.site.code(), nullptr);
    stream.loop(now, schedule_flags(share, request), share.id, team.recording.region_id, site, team.size,
                as_recorded(request.iterations.start), as_recorded(request.iterations.end),
                as_recorded(request.iterations.step), as_recorded(share.chunk));
}

// The program divides the iterations, so there are no chunks.
std::uint64_t nest_set_up(team::Worker& worker, const team::Team& team, const Iterations& outermost,
                          base::CallSite site) {
    const base::Ticks now = base::ticks();
    probe::trace::Stream& stream = *worker.trace;
    const std::uint64_t id = worker.instance_ids.next();
    team::prepare_sites(worker);
    stream.loop(now, TEFF_LOOP_STATIC | TEFF_LOOP_ORDERED, id, team.recording.region_id,
                stream.site(site.code(), nullptr), team.size, as_recorded(outermost.start), as_recorded(outermost.end),
                as_recorded(outermost.step), 0);
    return id;
}

void entered(team::Worker& worker, base::Ticks met) {
    team::LoopPlace& place = worker.member->loop;
    place.enter_ticks = met;
    place.chunk_iterations = 0;
}

void left(team::Worker& worker, base::Ticks now) {
    const team::LoopPlace& place = worker.member->loop;
    end_chunk(worker, now); // if the construct was cancelled
    worker.trace->loop_thread(place.enter_ticks, now, place.current->id, worker.task->id);
}

void chunk_begins(team::Member& member, Span span) {
    member.loop.chunk_first = member.loop.current->iterations.value(span.first);
    member.loop.chunk_iterations = span.last - span.first;
    member.loop.chunk_start_ticks = base::ticks();
}

void chunk_ends(team::Worker& worker) {
    if (worker.member->loop.chunk_iterations != 0) end_chunk(worker, base::ticks());
}

void turn_wait_begins(team::Member& member) { member.loop.turn_ticks = member.loop.turn_waited_ticks = 0; }

void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began, base::Ticks ended) {
    probe::trace::Stream& stream = *worker.trace;
    team::LoopPlace& place = worker.member->loop;
    place.turn_ticks = ended;
    place.turn_waited_ticks = ended - began;
    stream.wait(began, ended, TEFF_WAIT_ORDERED, worker.task->id, stream.site(site.code(), nullptr), 0,
                worker.task->departures);
}

void ordered_entered(team::Member& member, base::CallSite site) {
    member.loop.ordered_site = site.code();
    if (member.loop.turn_ticks == 0) member.loop.turn_ticks = base::ticks();
}

// The member keeps the turn until its chunk ends (ordered.h), but the record is of the region only.
void ordered_ends(team::Worker& worker) {
    team::LoopPlace& place = worker.member->loop;
    if (place.ordered_site == nullptr) return; // the region began before the worker was traced
    const base::Ticks now = base::ticks();
    const probe::trace::LockHold region{.had = place.turn_ticks,
                                        .waited = place.turn_waited_ticks,
                                        .task = worker.task->id,
                                        .call_site = place.ordered_site};
    place.ordered_site = nullptr;
    worker.trace->lock(TEFF_LOCK_ORDERED, place.current->id, region, now,
                       worker.trace->place(region.call_site, nullptr));
}

void doacross_posted(team::Worker& worker, std::uint64_t loop, std::uint64_t iteration, base::Ticks when) {
    worker.trace->doacross(when, TEFF_DOACROSS_SOURCE, loop, worker.task->id, iteration, 0, base::ticks() - when);
}

void doacross_waited(team::Worker& worker, std::uint64_t loop, std::uint64_t iteration, base::Ticks met) {
    const team::LoopPlace& place = worker.member->loop;
    const base::Ticks when = place.turn_ticks != 0 ? place.turn_ticks : base::ticks();
    worker.trace->doacross(when, TEFF_DOACROSS_SINK, loop, worker.task->id, iteration, place.turn_waited_ticks,
                           when - met);
}

void single_begins(team::Worker& worker) {
    if (has_share(worker)) worker.trace->single(base::ticks(), worker.task->id);
}

// The members of a league's teams do not share `distribute`: each team has a block of its own.
void static_begins(team::Worker& worker, StaticKind kind, std::uint64_t count) {
    if (kind != StaticKind::kDistribute && has_share(worker))
        worker.trace->static_loop(base::ticks(), worker.task->id, count);
}

// Also of distribute, of which nothing has begun: then the record has no effect.
void static_ends(team::Worker& worker) {
    if (has_share(worker)) worker.trace->static_loop_end(base::ticks(), worker.task->id);
}

} // namespace teff::loop::events::trace
