// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/target_events.h"

#include <initializer_list>

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/inquiry.h"
#include "probe/ompt/task_events.h"

namespace teff::probe::ompt {

namespace {

constexpr int kHost = 0; // the initial device's number

struct Construct {
    ompt_target_t kind;
    ompt_data_t* generating; // data of the task that met the construct
    ompt_data_t* task;       // ... and of the target task, or null
    ompt_data_t* data;
    ompt_id_t id;
    const void* code;
};

void notify(ompt_scope_endpoint_t endpoint, const Construct& construct) {
    call<ompt_callback_target_emi_t>(ompt_callback_target_emi, construct.kind, endpoint, kHost, construct.generating,
                                     construct.task, construct.data, construct.code);
    call<ompt_callback_target_t>(ompt_callback_target, construct.kind, endpoint, kHost, construct.generating,
                                 construct.id, construct.code);
}

void tell_submit(TargetRecord& target) {
    constexpr unsigned kOneTeam = 1; // what a league in it asks for is not known yet
    for (const ompt_scope_endpoint_t endpoint : {ompt_scope_begin, ompt_scope_end})
        call<ompt_callback_target_submit_emi_t>(ompt_callback_target_submit_emi, endpoint, &target.data,
                                                &target.operation, kOneTeam);
    call<ompt_callback_target_submit_t>(ompt_callback_target_submit, target.id, target.operation, kOneTeam);
}

Construct construct_of(ThreadRecord& thread, TargetRecord& target) {
    TaskRecord* task = thread.current();
    return {target.kind, task->creator_data, task->data, &target.data, target.id, target.code};
}

} // namespace

void target_begins(ThreadRecord& thread, TargetRecord& target, bool included, base::CallSite site) {
    target = {};
    target.id = unique_id();
    target.operation = unique_id();
    target.kind = included ? ompt_target : ompt_target_nowait;
    target.code = site.code();
    target.included = included;
    target.outer = thread.target;
    if (included) {
        enter_runtime(thread, site); // until target_ends: the construct's call lasts so long
        task_created(thread, target.task, nullptr, ompt_task_target | ompt_task_undeferred, false, site);
        task_begins(thread, target.task, nullptr);
    }
    thread.target = &target;
    notify(ompt_scope_begin, construct_of(thread, target));
    tell_submit(target);
}

void target_ends(ThreadRecord& thread) {
    TargetRecord& target = *thread.target;
    notify(ompt_scope_end, construct_of(thread, target));
    thread.target = target.outer;
    if (!target.included) return;
    task_ends(thread, target.task, ompt_task_complete);
    leave_runtime(thread);
}

void target_data_begins(ThreadRecord& thread, ompt_target_t kind, base::CallSite site) {
    thread.data_target = ompt_data_none;
    thread.data_target_id = unique_id();
    notify(ompt_scope_begin,
           {kind, data_of(thread.current()), nullptr, &thread.data_target, thread.data_target_id, site.code()});
}

void target_data_ends(ThreadRecord& thread, ompt_target_t kind, base::CallSite site) {
    notify(ompt_scope_end,
           {kind, data_of(thread.current()), nullptr, &thread.data_target, thread.data_target_id, site.code()});
}

} // namespace teff::probe::ompt
