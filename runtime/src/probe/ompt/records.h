// SPDX-License-Identifier: Apache-2.0
//
// What OMPT keeps of threads, parallel regions and tasks: the tool's data words, and what its
// inquiries ask for.
//
// They exist only while a tool is attached. The core owns their memory: a thread's record lives as
// long as its worker, a region's as long as its team, and an implicit task's as long as its member;
// an explicit task's record is in the task's own block. The records are linked for the inquiries: a
// thread knows its current task, and a task knows its region and the task below it on the stack.
//
// Who may touch what: a thread's record and its current task's belong to the thread, and to signal
// handlers on it (a sampling tool asks from there). A handler may come between any two
// instructions, so a task is complete before the thread points to it, and the pointer moves away
// before the task goes: relaxed atomics and the compiler's own order, kept by signal fences.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp-tools.h"

namespace teff::probe::ompt {

// A parallel region, a league of teams, or what surrounds an initial task.
struct ParallelRecord {
    ompt_data_t data = {};
    unsigned size = 1; // threads of the team, teams of the league
    int flags = 0;     // of ompt_parallel_flag_t
};

struct TaskRecord {
    ompt_data_t* data = nullptr; // the tool's word: `own_data`, or one that outlives the task (its dependences')
    ompt_data_t own_data = {};
    ompt_frame_t frame = {};
    int flags = 0; // of ompt_task_flag_t
    unsigned thread_num = 0;
    ParallelRecord* parallel = nullptr;
    ompt_data_t* creator_data = nullptr; // of the task that created an explicit one
    TaskRecord* below =
        nullptr; // the task that it runs on top of; for an implicit task, the one that met the construct
    ompt_dispatch_chunk_t chunk = {};               // of a taskloop, if it has iterations
    ompt_state_t state_below = ompt_state_overhead; // what its thread did when it began
    ompt_work_t open_work = {}; // a construct whose end the program does not tell (work_events.h), and its code
    const void* open_work_code = nullptr;
};

struct TargetRecord;

struct ThreadRecord {
    ompt_data_t data = {};
    std::atomic<TaskRecord*> task{nullptr}; // the current one
    std::atomic<unsigned> state{ompt_state_undefined};
    std::atomic<ompt_wait_id_t> wait_id{ompt_wait_id_none};
    TargetRecord* target = nullptr; // the innermost target region that it runs
    ompt_data_t data_target = {};   // of the target construct that moves data, and its id
    ompt_id_t data_target_id = ompt_id_none;
    ompt_task_status_t gives_way = ompt_task_switch; // why the current task would give way to another now

    TaskRecord* current() const { return task.load(std::memory_order_relaxed); }

    // By its own thread.
    void set_current(TaskRecord* next) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        task.store(next, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ompt_state_t set_state(ompt_state_t next, ompt_wait_id_t waits_for = ompt_wait_id_none) {
        wait_id.store(waits_for, std::memory_order_relaxed);
        return static_cast<ompt_state_t>(state.exchange(next, std::memory_order_relaxed));
    }
};

// What a thread does while a task of its own runs: a region of one thread is parallel work too, a
// league's initial tasks are not.
inline ompt_state_t working_state(const TaskRecord* task) {
    const bool in_region =
        task != nullptr && task->parallel != nullptr &&
        (static_cast<unsigned>(task->parallel->flags) & static_cast<unsigned>(ompt_parallel_team)) != 0;
    return in_region ? ompt_state_work_parallel : ompt_state_work_serial;
}

inline ompt_data_t* data_of(TaskRecord* task) { return task == nullptr ? nullptr : task->data; }
inline ompt_data_t* parallel_data_of(const TaskRecord* task) {
    return task == nullptr || task->parallel == nullptr ? nullptr : &task->parallel->data;
}

} // namespace teff::probe::ompt
