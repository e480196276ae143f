// SPDX-License-Identifier: Apache-2.0
// The exported functions of the tasking constructs.
#include "abi/export.h"
#include "abi/gomp_arguments.h"
#include "abi/gomp_depend.h"
#include "abi/gomp_reduction.h"
#include "abi/gomp_task_flags.h"
#include "abi/target_task.h"
#include "loop/iterations.h"
#include "region/region.h"
#include "task/create.h"
#include "task/dependences.h"
#include "task/taskgroup.h"
#include "task/taskloop.h"
#include "task/wait.h"

using namespace teff;
using namespace teff::abi;
using loop::Iterations;

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);

static_assert(task::kUntied == kGccUntied && task::kFinal == kGccFinal && task::kMergeable == kGccMergeable &&
                  task::kDependent == kGccDepend && task::kDetachable == kGccDetach,
              "these pass as they are");

task::TaskFlags task_flags(unsigned gcc, Copy copy, bool if_clause) {
    return (gcc & (kGccUntied | kGccFinal | kGccMergeable | kGccDepend | kGccDetach)) |
           (copy != nullptr ? task::kConstructed : 0) | (if_clause ? 0 : task::kUndeferred);
}

task::Detachment* event_for(team::Worker& worker, unsigned flags, void** event, void* data) {
    if (TEFF_LIKELY((flags & kGccDetach) == 0)) return nullptr;
    task::Detachment& reserved = task::reserve_event(worker);
    abi::store_event(handle_of(reserved), event, data);
    return &reserved;
}

// Out of line, to keep the common case of GOMP_task short.
[[gnu::noinline]] void create_any(Body body, void* data, Copy copy, long arg_bytes, long arg_align, bool if_clause,
                                  unsigned flags, void** depend, int priority, void** event, base::CallSite site) {
    team::Worker& worker = team::current_worker();
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? team::event_ticks(worker) : 0;
    const abi::DependList dependences((flags & kGccDepend) != 0 ? depend : nullptr);
    task::create_any(worker, {.function = body,
                              .data = data,
                              .copy = copy,
                              .arg_bytes = static_cast<std::size_t>(arg_bytes),
                              .arg_align = static_cast<std::size_t>(arg_align),
                              .flags = task_flags(flags, copy, if_clause),
                              .met = met,
                              .clauses = {.priority = (flags & kGccPriority) != 0 ? priority : 0,
                                          .depend = dependences.items(),
                                          .event = event_for(worker, flags, event, data),
                                          .site = site}});
}

void register_taskloop_reductions(team::Worker& worker, void* data) {
    abi::register_taskgroup_blocks(worker, abi::taskloop_reductions(data));
}

void taskloop(Body body, void* data, Copy copy, long arg_bytes, long arg_align, unsigned flags, unsigned long size,
              int priority, const loop::Iterations& iterations, base::CallSite site) {
    const bool own_group = (flags & kGccNogroup) == 0;
    const bool reductions = own_group && (flags & kGccReduction) != 0;
    const bool met = task::run_taskloop(
        team::current_worker(),
        {.task = {.function = body,
                  .data = data,
                  .copy = copy,
                  .arg_bytes = static_cast<std::size_t>(arg_bytes),
                  .arg_align = static_cast<std::size_t>(arg_align),
                  .flags = task_flags(flags, copy, (flags & kGccIf) != 0) | task::kTaskloop,
                  .clauses = {.priority = priority, .site = site}}, // GCC sets no flag for the clause of a taskloop
         .place = abi::place_bounds,
         .start = iterations.start,
         .step = iterations.step,
         .count = iterations.count,
         .size = size,
         .by_grainsize = (flags & kGccGrainsize) != 0,
         .strict = (flags & kGccStrict) != 0,
         .own_group = own_group,
         .enter_group = reductions ? register_taskloop_reductions : nullptr});
    if (!met && reductions) abi::taskloop_reductions(data)[2] = 0; // GCC's code sees that there are no copies
}

} // namespace

TEFF_EXPORT void GOMP_task(Body body, void* data, Copy copy, long arg_bytes, long arg_align, bool if_clause,
                           unsigned flags, void** depend, int priority, void** event) {
    if (TEFF_LIKELY((flags & (kGccDepend | kGccDetach)) == 0 && arg_align <= 16)) {
        team::Worker& worker = team::current_worker();
        const auto bytes = static_cast<std::size_t>(arg_bytes);
        const task::TaskFlags simple_flags = flags & (kGccUntied | kGccFinal);
        const bool has_priority = (flags & kGccPriority) != 0 && task::priority_counts(priority);
        const bool included = !if_clause || task::is_included(worker);
        const bool in_place = !included && !has_priority && task::runs_in_place(worker);
        const task::TaskFlags undeferred = included ? task::kUndeferred : 0;
        if ((included || in_place) && task::try_run_simple(worker, body, data, copy, bytes, simple_flags | undeferred))
            return;
        const bool simple = !included && copy == nullptr && !has_priority;
        if (simple && task::try_create_simple(worker, body, data, bytes, simple_flags, TEFF_SITE)) return;
    } else if ((flags & (kGccDetach | kGccPriority)) == 0 && arg_align <= 16) {
        team::Worker& worker = team::current_worker();
        const bool included = !if_clause || task::is_included(worker);
        const task::TaskFlags simple_flags = (flags & (kGccUntied | kGccFinal)) | (included ? task::kUndeferred : 0);
        if (task::try_run_dependent(worker, body, data, copy, static_cast<std::size_t>(arg_bytes), simple_flags))
            return;
    }
    create_any(body, data, copy, arg_bytes, arg_align, if_clause, flags, depend, priority, event, TEFF_SITE);
}

TEFF_EXPORT void GOMP_taskloop(Body body, void* data, Copy copy, long arg_bytes, long arg_align, unsigned flags,
                               unsigned long size, int priority, long start, long end, long step) {
    taskloop(body, data, copy, arg_bytes, arg_align, flags, size, priority, Iterations::of(start, end, step),
             TEFF_SITE);
}

TEFF_EXPORT void GOMP_taskloop_ull(Body body, void* data, Copy copy, long arg_bytes, long arg_align, unsigned flags,
                                   unsigned long size, int priority, unsigned long long start, unsigned long long end,
                                   unsigned long long step) {
    const bool up = (flags & kGccUp) != 0;
    taskloop(body, data, copy, arg_bytes, arg_align, flags, size, priority, Iterations::of(up, start, end, step),
             TEFF_SITE);
}

TEFF_EXPORT void GOMP_taskwait() { task::wait_for_children(team::current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_taskwait_depend(void** depend) {
    task::taskwait_depend(team::current_worker(), abi::DependList(depend).items(), TEFF_SITE);
}

TEFF_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
    abi::keep_order(team::current_worker(),
                    {.nowait = true, .depend = abi::DependList(depend).items(), .site = TEFF_SITE});
}

TEFF_EXPORT void GOMP_taskyield() { task::yield(team::current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_taskgroup_start() { task::taskgroup_begin(team::current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_taskgroup_end() { task::taskgroup_end(team::current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_taskgroup_reduction_register(std::uintptr_t* blocks) {
    abi::register_taskgroup_blocks(team::current_worker(), blocks);
}

TEFF_EXPORT void GOMP_taskgroup_reduction_unregister(std::uintptr_t* blocks) { abi::free_blocks(blocks); }

TEFF_EXPORT void GOMP_task_reduction_remap(std::size_t count, std::size_t with_original, void** pointers) {
    abi::remap(team::current_worker(), count, with_original, pointers);
}

TEFF_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    team::Worker& worker = team::current_worker();
    std::uintptr_t* const blocks = abi::worksharing_blocks(worker);
    task::taskgroup_end(worker, TEFF_SITE);
    if (!cancelled) region::barrier(worker, region::BarrierKind::kImplicit, false, TEFF_SITE);
    if (worker.member->number == 0) abi::free_blocks(blocks);
}
