// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <omp-tools.h>
#include <stdio.h>
#include <string.h>

#define WORDS(name, ...)                                                                                               \
    static const Word name##_table[] = {__VA_ARGS__};                                                                  \
    const Words name##_words = {name##_table, sizeof name##_table / sizeof *name##_table}

WORDS(endpoint, {ompt_scope_begin, "begin"}, {ompt_scope_end, "end"}, {ompt_scope_beginend, "beginend"});
WORDS(thread, {ompt_thread_initial, "initial"}, {ompt_thread_worker, "worker"}, {ompt_thread_other, "other"});
WORDS(status, {ompt_task_complete, "complete"}, {ompt_task_yield, "yield"}, {ompt_task_cancel, "cancel"},
      {ompt_task_detach, "detach"}, {ompt_task_early_fulfill, "early_fulfill"},
      {ompt_task_late_fulfill, "late_fulfill"}, {ompt_task_switch, "switch"},
      {ompt_taskwait_complete, "taskwait_complete"});
WORDS(work, {ompt_work_loop, "loop"}, {ompt_work_sections, "sections"}, {ompt_work_single_executor, "single_executor"},
      {ompt_work_single_other, "single_other"}, {ompt_work_workshare, "workshare"},
      {ompt_work_distribute, "distribute"}, {ompt_work_taskloop, "taskloop"}, {ompt_work_scope, "scope"},
      {ompt_work_loop_static, "loop_static"}, {ompt_work_loop_dynamic, "loop_dynamic"},
      {ompt_work_loop_guided, "loop_guided"}, {ompt_work_loop_other, "loop_other"});
WORDS(dispatch, {ompt_dispatch_iteration, "iteration"}, {ompt_dispatch_section, "section"},
      {ompt_dispatch_ws_loop_chunk, "ws_loop_chunk"}, {ompt_dispatch_taskloop_chunk, "taskloop_chunk"},
      {ompt_dispatch_distribute_chunk, "distribute_chunk"});
WORDS(sync, {ompt_sync_region_barrier_explicit, "barrier_explicit"},
      {ompt_sync_region_barrier_implementation, "barrier_implementation"}, {ompt_sync_region_taskwait, "taskwait"},
      {ompt_sync_region_taskgroup, "taskgroup"}, {ompt_sync_region_reduction, "reduction"},
      {ompt_sync_region_barrier_implicit_workshare, "barrier_implicit_workshare"},
      {ompt_sync_region_barrier_implicit_parallel, "barrier_implicit_parallel"},
      {ompt_sync_region_barrier_teams, "barrier_teams"});
WORDS(mutex, {ompt_mutex_lock, "lock"}, {ompt_mutex_test_lock, "test_lock"}, {ompt_mutex_nest_lock, "nest_lock"},
      {ompt_mutex_test_nest_lock, "test_nest_lock"}, {ompt_mutex_critical, "critical"}, {ompt_mutex_atomic, "atomic"},
      {ompt_mutex_ordered, "ordered"});
WORDS(dependence, {ompt_dependence_type_in, "in"}, {ompt_dependence_type_out, "out"},
      {ompt_dependence_type_inout, "inout"}, {ompt_dependence_type_mutexinoutset, "mutexinoutset"},
      {ompt_dependence_type_source, "source"}, {ompt_dependence_type_sink, "sink"},
      {ompt_dependence_type_inoutset, "inoutset"}, {ompt_dependence_type_out_all_memory, "out_all"},
      {ompt_dependence_type_inout_all_memory, "inout_all"});
WORDS(target, {ompt_target, "region"}, {ompt_target_enter_data, "enter_data"}, {ompt_target_exit_data, "exit_data"},
      {ompt_target_update, "update"}, {ompt_target_nowait, "region_nowait"},
      {ompt_target_enter_data_nowait, "enter_data_nowait"}, {ompt_target_exit_data_nowait, "exit_data_nowait"},
      {ompt_target_update_nowait, "update_nowait"});
WORDS(data_op, {ompt_target_data_alloc, "alloc"}, {ompt_target_data_transfer_to_device, "to_device"},
      {ompt_target_data_transfer_from_device, "from_device"}, {ompt_target_data_delete, "delete"},
      {ompt_target_data_associate, "associate"}, {ompt_target_data_disassociate, "disassociate"});
WORDS(severity, {ompt_warning, "warning"}, {ompt_fatal, "fatal"});

WORDS(parallel_flag, {ompt_parallel_invoker_program, "invoker_program"},
      {ompt_parallel_invoker_runtime, "invoker_runtime"}, {ompt_parallel_league, "league"},
      {ompt_parallel_team, "team"});
WORDS(task_flag, {ompt_task_initial, "initial"}, {ompt_task_implicit, "implicit"}, {ompt_task_explicit, "explicit"},
      {ompt_task_target, "target"}, {ompt_task_taskwait, "taskwait"}, {ompt_task_undeferred, "undeferred"},
      {ompt_task_untied, "untied"}, {ompt_task_final, "final"}, {ompt_task_mergeable, "mergeable"},
      {ompt_task_merged, "merged"});
WORDS(cancel_flag, {ompt_cancel_parallel, "parallel"}, {ompt_cancel_sections, "sections"}, {ompt_cancel_loop, "loop"},
      {ompt_cancel_taskgroup, "taskgroup"}, {ompt_cancel_activated, "activated"}, {ompt_cancel_detected, "detected"},
      {ompt_cancel_discarded_task, "discarded_task"});

const char* word_of(Words words, unsigned value) {
    static _Thread_local char unknown[16];
    for (int i = 0; i < words.count; ++i)
        if (words.first[i].value == value) return words.first[i].text;
    sprintf(unknown, "?%u", value);
    return unknown;
}

const char* flags_of(Words words, unsigned flags, char buffer[160]) {
    int length = 0;
    for (int i = 0; i < words.count; ++i) {
        if (!(flags & words.first[i].value)) continue;
        length += sprintf(buffer + length, "%s%s", length ? "+" : "", words.first[i].text);
        flags &= ~words.first[i].value;
    }
    if (flags) length += sprintf(buffer + length, "%s?%x", length ? "+" : "", flags);
    return length ? buffer : strcpy(buffer, "0");
}
