// SPDX-License-Identifier: Apache-2.0
#include "loop/events.h"

#include <algorithm>

#include "probe/ompt/frames.h"
#include "probe/ompt/mutex_events.h"
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

std::uint64_t count_of(const WorkShare& share) { return share.divided_by_program ? 0 : share.iterations.count; }

// The wait id of the turn of an ordered loop: the address of the loop, for which all waiters wait.
ompt_wait_id_t turn_of(const team::Worker& worker) {
    return reinterpret_cast<ompt_wait_id_t>(worker.member->loop.current);
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
    constexpr unsigned kMost = 64; // GCC's own limit of loops in a nest is below that
    ompt_dependence_t items[kMost];
    const unsigned loops = std::min(worker.member->loop.current->nest, kMost);
    for (unsigned i = 0; i < loops; ++i)
        items[i] = {{.value = indices[i]}, source ? ompt_dependence_type_source : ompt_dependence_type_sink};
    ompt::dependences_given(*worker.ompt->current(), items, static_cast<int>(loops));
}

void single_begins(team::Worker& worker, bool executor, base::CallSite site) {
    ompt::single_begins(*worker.ompt, site.code(), executor);
}

void single_ends(team::Worker& worker) { ompt::end_open_work(*worker.ompt); }

void scope_begins(team::Worker& worker, base::CallSite site) { ompt::scope_begins(*worker.ompt, site.code()); }

} // namespace teff::loop::events::ompt
