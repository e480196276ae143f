// SPDX-License-Identifier: Apache-2.0
//
// OMPT's records of threads, parallel regions and tasks: the tool's data words, and the values for
// which a tool's inquiries ask.
//
// Records exist only while a tool is attached. The runtime's own objects contain the records: a
// thread's record lives as long as its worker, a region's record as long as its team, and an
// implicit task's record as long as its member. An explicit task's record is in the task's own
// block. The records are linked for the inquiries: a thread points to its current task, and a task
// points to its region and to the task below it on the stack.
//
// Only the thread itself, and signal handlers on it, may access the thread's record and the record
// of its current task (a sampling tool makes inquiries in a signal handler). A handler may run
// between any two instructions. So a task's record is complete before the thread points to it, and
// the thread stops pointing to it before the record is destroyed. Relaxed atomics and signal fences
// keep this order, which only the compiler could change.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp-tools.h"

namespace teff::probe::ompt {

// A parallel region, a league of teams, or the implicit region around an initial task.
struct ParallelRecord {
    ompt_data_t data = {};
    unsigned size = 1; // number of threads of the team, or of teams of the league
    int flags = 0;     // of ompt_parallel_flag_t
};

struct TaskRecord {
    ompt_data_t* data = nullptr; // the tool's word: `own_data`, or the word of its dependences, which outlives the task
    ompt_data_t own_data = {};
    ompt_frame_t frame = {};
    int flags = 0; // of ompt_task_flag_t
    unsigned thread_num = 0;
    ParallelRecord* parallel = nullptr;
    ompt_data_t* creator_data = nullptr; // of the task that created this explicit task
    TaskRecord* below =
        nullptr; // the task below it on the stack; for an implicit task, the task that met the construct
    ompt_dispatch_chunk_t chunk = {};               // the iterations of a taskloop's task
    ompt_state_t state_below = ompt_state_overhead; // the thread's state before the task began
    ompt_work_t open_work = {}; // a construct whose end the runtime is not told (work_events.h), and its code
    const void* open_work_code = nullptr;
    ompt_work_t static_work = {}; // the construct that static_begins has begun (work_events.h), and its count
    std::uint64_t static_count = 0;
};

struct TargetRecord;

struct ThreadRecord {
    ompt_data_t data = {};
    std::atomic<TaskRecord*> task{nullptr}; // the current task
    std::atomic<unsigned> state{ompt_state_undefined};
    std::atomic<ompt_wait_id_t> wait_id{ompt_wait_id_none};
    TargetRecord* target = nullptr; // the innermost target region that the thread runs
    ompt_data_t data_target = {};   // data word of a target construct that only moves data, and its id
    ompt_id_t data_target_id = ompt_id_none;
    ompt_task_status_t gives_way = ompt_task_switch; // the reason to report at the next change of task
    bool controls_tool = false; // the program has called omp_control_tool, outside of any construct

    TaskRecord* current() const { return task.load(std::memory_order_relaxed); }

    // Called by the record's own thread only.
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

// Returns the state of a thread that runs `task`. A region of one thread is parallel work, too; the
// initial tasks of a league are not.
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
