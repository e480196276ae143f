// SPDX-License-Identifier: Apache-2.0
#include "processes/loops.h"

#include "loop/schedules.h"
#include "processes/link.h"
#include "processes/tasks.h"
#include "processes/team.h"

namespace teff::processes::loops {

namespace {

bool is_static(const Loop& loop) {
    return loop.kind == icv::ScheduleKind::static_ || loop.kind == icv::ScheduleKind::auto_;
}

Met& record() { return current_team().met; }

Request request(Op op, std::uint64_t construct) {
    Request made = {};
    made.op = op;
    made.a = construct;
    return made;
}

std::uint64_t static_chunk_count(const Loop& loop, unsigned members) {
    if (loop.chunk != 0) return loop::count_chunks(loop.iterations.count, loop.chunk);
    return loop.iterations.count < members ? loop.iterations.count : members;
}

bool take_static(Met& one, loop::Span& span) {
    const Team& team = current_team();
    one.chunk = one.trip * team.size + team.number;
    return loop::static_take(one.loop.iterations.count, one.loop.chunk, team.size, team.number, one.trip, span);
}

bool take_alone(Met& one, loop::Span& span) {
    span = {0, one.loop.iterations.count};
    return one.trip++ == 0 && span.last != 0;
}

void ask_for_bundle(Met& one) {
    Request ask = request(Op::loop, one.id);
    if (one.loop.ordered) ask.flags = kOrderedLoop;
    ask.b = one.loop.iterations.count;
    ask.c = one.loop.chunk == 0 ? 1 : one.loop.chunk;
    ask.d = static_cast<std::uint64_t>(one.loop.kind == icv::ScheduleKind::guided ? Handing::guided : Handing::dynamic);
    const Answer answer = link::ask(ask, link::Sync::none);
    one.bundle = {answer.a, answer.b};
    one.chunk = answer.c;
}

bool take_handed(Met& one, loop::Span& span) {
    if (one.bundle.first == one.bundle.last) ask_for_bundle(one);
    if (one.bundle.first == one.bundle.last) return false;
    span = one.bundle;
    if (one.loop.kind == icv::ScheduleKind::dynamic) {
        const std::uint64_t chunk = one.loop.chunk == 0 ? 1 : one.loop.chunk;
        if (span.last - span.first > chunk) span.last = span.first + chunk;
    }
    one.bundle.first = span.last;
    return true;
}

void pass_turn(Met& one) {
    if (!one.has_chunk || !one.loop.ordered || !current_team().is_shared()) return;
    one.has_chunk = false;
    Request over = request(Op::turn_over, one.id);
    over.b = one.chunk;
    if (is_static(one.loop)) over.c = static_chunk_count(one.loop, current_team().size);
    link::tell(over, link::Sync::memory);
}

bool take(Met& one, loop::Span& span) {
    if (!current_team().is_shared()) return take_alone(one, span);
    return is_static(one.loop) ? take_static(one, span) : take_handed(one, span);
}

} // namespace

void meet(const Loop& loop) {
    Team& team = current_team();
    team.met = {};
    team.met.loop = loop;
    team.met.id = team.constructs++;
}

bool start(const Loop& loop, loop::Span& span) {
    meet(loop);
    return next(span);
}

bool next(loop::Span& span) {
    Met& one = record();
    pass_turn(one);
    one.has_chunk = take(one, span);
    return one.has_chunk;
}

const loop::Iterations& iterations() { return record().loop.iterations; }

void end() { pass_turn(record()); }

void begin_ordered() {
    Met& one = record();
    if (!current_team().is_shared()) return;
    Request wait = request(Op::ordered, one.id);
    wait.b = one.chunk;
    link::ask(wait, link::Sync::memory);
}
void end_ordered() {}

bool single() {
    Team& team = current_team();
    if (!team.is_shared()) return true;
    return link::ask(request(Op::single, team.constructs++), link::Sync::none).a != 0;
}

void* single_copy() {
    Team& team = current_team();
    if (!team.is_shared()) return nullptr;
    const std::uint64_t construct = team.constructs++;
    Request ask = request(Op::single, construct);
    ask.flags = 1;
    if (link::ask(ask, link::Sync::none).a != 0) {
        record().id = construct;
        return nullptr;
    }
    return reinterpret_cast<void*>(link::ask(request(Op::copy_in, construct), link::Sync::memory).a);
}

void give_copy(const void* address) {
    if (!current_team().is_shared()) return;
    Request give = request(Op::copy_out, record().id);
    give.b = reinterpret_cast<std::uint64_t>(address);
    link::tell(give, link::Sync::memory);
}

Loop sections(unsigned count) {
    return {loop::Iterations::of(1l, static_cast<long>(count) + 1, 1l), icv::ScheduleKind::dynamic, 1, false};
}

unsigned start_sections(unsigned count) {
    meet(sections(count));
    return next_section();
}

unsigned next_section() {
    Met& one = record();
    if (!current_team().is_shared())
        return one.trip < one.loop.iterations.count ? static_cast<unsigned>(++one.trip) : 0;
    loop::Span span;
    return take_handed(one, span) ? static_cast<unsigned>(span.first) + 1 : 0;
}

icv::ScheduleKind runtime_kind() { return tasks::icvs().run_sched.kind; }
std::uint64_t runtime_chunk() {
    const std::int32_t chunk = tasks::icvs().run_sched.chunk;
    return chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0;
}

} // namespace teff::processes::loops
