// SPDX-License-Identifier: Apache-2.0
#include "abi/target_task.h"

#include <algorithm>
#include <new>

#include "base/round_up.h"
#include "probe/ompt/target_events.h"
#include "region/league.h"
#include "task/create.h"
#include "task/dependences.h"
#include "team/probes.h"

namespace teff::abi {

namespace {

// The arguments of a deferred target task: this structure, then the addresses, then the
// firstprivate data.
struct Deferred {
    void (*body)(void*);
    const void* site; // of the construct, whose call has returned
    unsigned thread_limit;
    std::size_t firstprivate_at; // offset from the beginning of this structure

    void** addresses() { return reinterpret_cast<void**>(this + 1); }
};

// The data from which a deferred task's arguments are made.
struct Blueprint {
    Deferred header;
    TargetData data;
};

void build(void* to, void* from) {
    const auto& blueprint = *static_cast<const Blueprint*>(from);
    auto& task = *::new (to) Deferred(blueprint.header);
    TargetData data = blueprint.data;
    data.addresses = task.addresses();
    std::copy_n(blueprint.data.addresses, data.count, data.addresses);
    copy_firstprivate(data, static_cast<char*>(to) + task.firstprivate_at, blueprint.data.addresses);
}

void run_deferred(void* arguments) {
    auto& task = *static_cast<Deferred*>(arguments);
    region::run_initial_task(team::current_worker(), {task.body, task.addresses()}, task.thread_limit,
                             region::TargetTask::kDeferred, base::CallSite::of_address(task.site));
}

task::TaskFlags flags_of(const TargetOrder& order) {
    if (order.depend.given()) return task::kDependent;
    return 0;
}

void defer(team::Worker& worker, const TargetConstruct& construct) {
    const BlockShape shape = firstprivate_shape(construct.data);
    const std::size_t addresses_end = sizeof(Deferred) + construct.data.count * sizeof(void*);
    const std::size_t firstprivate_at = base::round_up(addresses_end, shape.alignment);
    Blueprint blueprint{.header = {.body = construct.body,
                                   .site = construct.order.site.code(),
                                   .thread_limit = construct.thread_limit,
                                   .firstprivate_at = firstprivate_at},
                        .data = construct.data};
    task::create_any(worker, {.function = run_deferred,
                              .data = &blueprint,
                              .copy = build,
                              .arg_bytes = firstprivate_at + shape.bytes,
                              .arg_align = std::max(shape.alignment, alignof(Deferred)),
                              .flags = flags_of(construct.order) | task::kTarget,
                              .clauses = {.depend = construct.order.depend, .site = construct.order.site}});
}

void nothing(void*) {}

void create_empty_task(team::Worker& worker, const TargetOrder& order) {
    char no_arguments;
    task::create_any(worker, {.function = nothing,
                              .data = &no_arguments,
                              .copy = nullptr,
                              .arg_bytes = 0,
                              .arg_align = 1,
                              .flags = flags_of(order),
                              .clauses = {.depend = order.depend, .site = order.site}});
}

bool is_deferred(const team::Worker& worker, const TargetOrder& order) {
    return order.nowait && !task::is_included(worker);
}

void wait_for_predecessors(team::Worker& worker, const TargetOrder& order) {
    if (order.depend.given()) task::wait_for_dependences(worker, order.depend, {}, order.site);
}

} // namespace

void run_target(team::Worker& worker, const TargetConstruct& construct) {
    if (is_deferred(worker, construct.order)) return defer(worker, construct);
    const FirstprivateCopies copies(construct.data);
    wait_for_predecessors(worker, construct.order);
    region::run_initial_task(team::current_worker(), {construct.body, construct.data.addresses}, construct.thread_limit,
                             region::TargetTask::kIncluded, construct.order.site);
}

void keep_order(team::Worker& worker, const TargetOrder& order) {
    const bool has_predecessors = order.depend.given() && worker.task->has_dependent_children();
    if (!has_predecessors) return;
    if (is_deferred(worker, order)) create_empty_task(worker, order);
    else wait_for_predecessors(worker, order);
}

void name_data(team::Worker& worker, const TargetOrder& order, ompt_target_t kind) {
    if (TEFF_LIKELY(!team::observed(worker))) return keep_order(worker, order);
    constexpr int kNowait = ompt_target_nowait - ompt_target;
    const auto told = static_cast<ompt_target_t>(kind + (order.nowait ? kNowait : 0));
    probe::ompt::target_data_begins(*worker.ompt, told, order.site);
    keep_order(worker, order);
    probe::ompt::target_data_ends(*team::current_worker().ompt, told, order.site);
}

} // namespace teff::abi
