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
    if (share.schedule == Schedule::guided) flags = TEFF_LOOP_GUIDED;
    if (request.sections) flags = TEFF_LOOP_SECTIONS;
    if (request.ordered || request.doacross.loops != 0) flags |= TEFF_LOOP_ORDERED;
    if (request.is_unsigned) flags |= TEFF_LOOP_ULL;
    return flags;
}

std::int64_t as_recorded(std::uint64_t value) { return static_cast<std::int64_t>(value); }

} // namespace

void set_up(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request) {
    probe::trace::Stream& stream = *worker.trace;
    share.id = worker.instance_ids.next();
    team::prepare_sites(worker);
    const std::uint32_t site = stream.site(request.site.code(), nullptr);
    stream.loop(base::ticks(), schedule_flags(share, request), share.id, team.recording.region_id, site, team.size,
                as_recorded(request.iterations.start), as_recorded(request.iterations.end),
                as_recorded(request.iterations.step), as_recorded(share.chunk));
}

void entered(team::Worker& worker) {
    team::LoopPlace& place = worker.member->loop;
    place.enter_ticks = base::ticks();
    place.chunk_iterations = 0;
}

void left(team::Worker& worker) {
    const team::LoopPlace& place = worker.member->loop;
    chunk_ends(worker); // if the construct was cancelled
    worker.trace->loop_thread(place.enter_ticks, base::ticks(), place.current->id, worker.task->id);
}

void chunk_begins(team::Member& member, Span span) {
    member.loop.chunk_first = member.loop.current->iterations.value(span.first);
    member.loop.chunk_iterations = span.last - span.first;
    member.loop.chunk_start_ticks = base::ticks();
}

void chunk_ends(team::Worker& worker) {
    team::LoopPlace& place = worker.member->loop;
    if (place.chunk_iterations == 0) return;
    worker.trace->chunk(place.chunk_start_ticks, base::ticks(), place.current->id, worker.task->id,
                        as_recorded(place.chunk_first), place.chunk_iterations);
    place.chunk_iterations = 0;
}

void turn_wait_ends(team::Worker& worker, base::CallSite site, base::Ticks began) {
    probe::trace::Stream& stream = *worker.trace;
    stream.wait(began, base::ticks(), TEFF_WAIT_ORDERED, worker.task->id, stream.site(site.code(), nullptr), 0,
                worker.task->departures);
}

} // namespace teff::loop::events::trace
