// SPDX-License-Identifier: Apache-2.0
#include "loop/record.h"

#include "probe/trace/stream.h"
#include "task/task.h"

namespace teff::loop {

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

void record_loop(team::Worker& worker, const team::Team& team, WorkShare& share, const LoopRequest& request) {
    probe::trace::Stream& trace = *worker.trace;
    share.id = ++worker.last_instance_id;
    const std::uint32_t site = trace.site(request.site.code(), nullptr);
    trace.loop(base::ticks(), schedule_flags(share, request), share.id, team.region_id, site, team.size,
               as_recorded(request.iterations.start), as_recorded(request.iterations.end),
               as_recorded(request.iterations.step), as_recorded(share.chunk));
}

void record_enter(team::Worker& worker) {
    team::LoopPlace& place = worker.member->loop;
    place.enter_ticks = base::ticks();
    place.chunk_iterations = 0;
}

void record_leave(team::Worker& worker) {
    const team::LoopPlace& place = worker.member->loop;
    if (place.current == nullptr) return;
    record_chunk_end(worker); // if the construct was cancelled
    worker.trace->loop_thread(place.enter_ticks, base::ticks(), place.current->id, worker.task->id);
}

void record_chunk_begin(team::Member& member, Span span) {
    member.loop.chunk_first = member.loop.current->iterations.value(span.first);
    member.loop.chunk_iterations = span.last - span.first;
    member.loop.chunk_start_ticks = base::ticks();
}

void record_chunk_end(team::Worker& worker) {
    team::LoopPlace& place = worker.member->loop;
    if (place.chunk_iterations == 0) return;
    worker.trace->chunk(place.chunk_start_ticks, base::ticks(), place.current->id, worker.task->id,
                        as_recorded(place.chunk_first), place.chunk_iterations);
    place.chunk_iterations = 0;
}

void record_ordered_wait(team::Worker& worker, base::Ticks begin, base::CallSite site) {
    probe::trace::Stream& trace = *worker.trace;
    trace.wait(begin, base::ticks(), TEFF_WAIT_ORDERED, worker.task->id, trace.site(site.code(), nullptr), 0);
}

} // namespace teff::loop
