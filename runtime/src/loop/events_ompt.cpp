// SPDX-License-Identifier: Apache-2.0
#include "loop/events.h"

#include <algorithm>

#include "probe/ompt/frames.h"
#include "probe/ompt/mutex_events.h"
#include "probe/ompt/other_events.h"
#include "probe/ompt/sync_events.h"
#include "probe/ompt/task_events.h"
#include "probe/ompt/work_events.h"

namespace teff::loop::events::ompt {

namespace ompt = probe::ompt;

namespace {

ompt_work_t kind_of(const WorkShare& share) {
    if (share.sections) return ompt_work_sections;
    switch (share.schedule) {
    case Schedule::static_:
        return ompt_work_loop_static;
    case Schedule::guided:
    case Schedule::guided_whole:
    case Schedule::affinity_guided:
        return ompt_work_loop_guided;
    case Schedule::dynamic:
    case Schedule::dynamic_alone:
    case Schedule::stealing:
    case Schedule::affinity:
        return ompt_work_loop_dynamic;
    }
    __builtin_unreachable();
}

ompt_scope_endpoint_t endpoint(bool begins) { return begins ? ompt_scope_begin : ompt_scope_end; }

std::uint64_t count_of(const WorkShare& share) { return share.divided_by_program ? 0 : share.iterations.count; }

// The wait id of the turn of an ordered loop: the address of the loop, for which all waiters wait.
// An ordered region outside of a loop has the turn at once; then it is the member's own address.
ompt_wait_id_t turn_of(const team::Worker& worker) {
    const team::LoopPlace& place = worker.member->loop;
    return place.current != nullptr ? reinterpret_cast<ompt_wait_id_t>(place.current)
                                    : reinterpret_cast<ompt_wait_id_t>(&place);
}

// `position`: an index for each of `loops` loops.
template <class Position> void tell_position(team::Worker& worker, Position position, unsigned loops, bool source) {
    constexpr unsigned kMost = 64; // the compilers' own limits of loops in a nest are below that
    ompt_dependence_t items[kMost];
    loops = std::min(loops, kMost);
    for (unsigned i = 0; i < loops; ++i)
        items[i] = {{.value = static_cast<std::uint64_t>(position[i])},
                    source ? ompt_dependence_type_source : ompt_dependence_type_sink};
    ompt::dependences_given(*worker.ompt->current(), items, static_cast<int>(loops));
}

} // namespace

void set_up(WorkShare& share, const LoopRequest& request) {
    share.code = request.site.code();
    share.sections = request.sections;
    share.divided_by_program = request.divided_by_program;
}

void entered(team::Worker& worker) {
    const WorkShare& share = *worker.member->loop.current;
    ompt::work_begins(*worker.ompt, kind_of(share), count_of(share), share.code);
}

void left(team::Worker& worker) {
    const WorkShare& share = *worker.member->loop.current;
    ompt::work_ends(*worker.ompt, kind_of(share), count_of(share), share.code);
}

void chunk_begins(team::Worker& worker, Span span, base::CallSite site) {
    if (worker.member->loop.current->sections) return ompt::section_dispatched(*worker.ompt, site.code());
    ompt::chunk_dispatched(*worker.ompt, ompt_dispatch_ws_loop_chunk, {span.first, span.last - span.first});
}

void ordered_begins(team::Worker& worker, base::CallSite site) {
    ompt::mutex_acquire(*worker.ompt, ompt_mutex_ordered, turn_of(worker), site);
}

void ordered_entered(team::Worker& worker, base::CallSite site) {
    ompt::mutex_acquired(*worker.ompt, ompt_mutex_ordered, turn_of(worker), site);
}

void ordered_ends(team::Worker& worker, base::CallSite site) {
    ompt::mutex_released(*worker.ompt, ompt_mutex_ordered, turn_of(worker), site);
}

void turn_wait_begins(team::Worker& worker, base::CallSite site) {
    ompt::enter_runtime(*worker.ompt, site);
    worker.ompt->set_state(ompt_state_wait_ordered, turn_of(worker));
}

void turn_wait_ends(team::Worker& worker) {
    worker.ompt->set_state(ompt::working_state(worker.ompt->current()));
    ompt::leave_runtime(*worker.ompt);
}

void doacross(team::Worker& worker, IndexVector indices, bool source) {
    tell_position(worker, indices, worker.member->loop.current->nest, source);
}

void nest_position(team::Worker& worker, std::span<const std::int64_t> position, bool source) {
    tell_position(worker, position, static_cast<unsigned>(position.size()), source);
}

void single_begins(team::Worker& worker, bool executor, base::CallSite site) {
    ompt::single_begins(*worker.ompt, site.code(), executor);
}

void single_ends(team::Worker& worker) { ompt::end_open_work(*worker.ompt); }

void scope_begins(team::Worker& worker, base::CallSite site) { ompt::scope_begins(*worker.ompt, site.code()); }

void static_begins(team::Worker& worker, StaticKind kind, std::uint64_t count, Span part, base::CallSite site) {
    const std::uint64_t size = part.last - part.first;
    switch (kind) {
    case StaticKind::kSections:
        ompt::static_begins(*worker.ompt, ompt_work_sections, count, site);
        for (std::uint64_t i = 0; i < size; ++i)
            ompt::section_dispatched(*worker.ompt, site.code());
        break;
    case StaticKind::kDistribute:
        ompt::static_begins(*worker.ompt, ompt_work_distribute, count, site);
        if (size != 0) ompt::chunk_dispatched(*worker.ompt, ompt_dispatch_distribute_chunk, {part.first, size});
        break;
    case StaticKind::kLoop:
        ompt::static_begins(*worker.ompt, ompt_work_loop_static, count, site);
        if (size != 0) ompt::chunk_dispatched(*worker.ompt, ompt_dispatch_ws_loop_chunk, {part.first, size});
        break;
    }
}

void static_ends(team::Worker& worker, base::CallSite site) { ompt::static_ends(*worker.ompt, site); }

void masked(team::Worker& worker, bool begins, base::CallSite site) {
    ompt::masked(*worker.ompt, endpoint(begins), site);
}

void reduction(team::Worker& worker, bool begins, base::CallSite site) {
    ompt::reduction(*worker.ompt, endpoint(begins), site);
}

void flush(team::Worker& worker, base::CallSite site) { ompt::flush(*worker.ompt, site); }

} // namespace teff::loop::events::ompt
