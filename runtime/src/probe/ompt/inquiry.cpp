// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/inquiry.h"

#include <atomic>
#include <cstring>
#include <iterator>
#include <sched.h>

#include "probe/ompt/callbacks.h"
#include "probe/ompt/names.h"
#include "probe/ompt/target_events.h"
#include "probe/ompt/tool.h"

namespace teff::probe::ompt {

namespace {

Machine machine{};

// The answers of ompt_get_parallel_info and ompt_get_task_info.
enum Available : int { kNone = 0, kAvailable = 2 };

const ThreadRecord* current_thread() { return machine.current_thread(); }

TaskRecord* current_task() {
    const ThreadRecord* thread = current_thread();
    return thread == nullptr ? nullptr : thread->current();
}

template <class Value> void give(Value* to, Value value) {
    if (to != nullptr) *to = value;
}

ompt_data_t* get_thread_data() {
    ThreadRecord* thread = machine.current_thread();
    return thread == nullptr ? nullptr : &thread->data;
}

int get_state(ompt_wait_id_t* wait_id) {
    const ThreadRecord* thread = current_thread();
    if (thread == nullptr) return ompt_state_undefined;
    give(wait_id, thread->wait_id.load(std::memory_order_relaxed));
    return static_cast<int>(thread->state.load(std::memory_order_relaxed));
}

// Level 0 is the current region, level 1 the one around it, and so on: each step leaves the region
// of an implicit task.
int get_parallel_info(int ancestor_level, ompt_data_t** parallel_data, int* team_size) {
    const TaskRecord* task = current_task();
    for (int level = 0; task != nullptr; ++level) {
        const ParallelRecord* parallel = task->parallel;
        if (level == ancestor_level) {
            if (parallel == nullptr) return kNone;
            give(parallel_data, const_cast<ompt_data_t*>(&parallel->data));
            give(team_size, static_cast<int>(parallel->size));
            return kAvailable;
        }
        while (task != nullptr && task->parallel == parallel)
            task = task->below;
    }
    return kNone;
}

int get_task_info(int ancestor_level, int* flags, ompt_data_t** task_data, ompt_frame_t** task_frame,
                  ompt_data_t** parallel_data, int* thread_num) {
    if (ancestor_level < 0) return kNone;
    TaskRecord* task = current_task();
    for (int level = 0; level < ancestor_level && task != nullptr; ++level)
        task = task->below;
    if (task == nullptr) return kNone;
    give(flags, task->flags);
    give(task_data, task->data);
    give(task_frame, &task->frame);
    give(parallel_data, parallel_data_of(task));
    give(thread_num, static_cast<int>(task->thread_num));
    return kAvailable;
}

// Task memory is what the program's own code put into the task's block; none of it is offered.
int get_task_memory(void** address, std::size_t* size, int) {
    give(address, static_cast<void*>(nullptr));
    give(size, std::size_t{0});
    return 0;
}

int get_target_info(std::uint64_t* device, ompt_id_t* target_id, ompt_id_t* operation) {
    const ThreadRecord* thread = current_thread();
    if (thread == nullptr || thread->target == nullptr) return 0;
    give(device, std::uint64_t{0});
    give(target_id, thread->target->id);
    give(operation, thread->target->operation);
    return 1;
}

int get_num_procs() { return machine.processors(); }
int get_num_places() { return machine.places(); }
int get_place_proc_ids(int place, int room, int* ids) { return machine.place_processors(place, room, ids); }
int get_place_num() { return current_thread() == nullptr ? -1 : machine.own_place(); }
int get_partition_place_nums(int room, int* places) {
    return current_thread() == nullptr ? 0 : machine.partition(room, places);
}
int get_proc_id() { return current_thread() == nullptr ? -1 : sched_getcpu(); }
int get_num_devices() { return machine.devices(); }
std::uint64_t get_task_id() { return machine.current_task_id(); }

void finalize() {
    if (is_attached()) machine.end_events();
    finalize_tool();
}

struct EntryPoint {
    const char* name;
    ompt_interface_fn_t function;
};

template <class Type> EntryPoint entry(const char* name, Type function) {
    return {name, reinterpret_cast<ompt_interface_fn_t>(function)};
}

} // namespace

void set_machine(const Machine& given) { machine = given; }

std::uint64_t unique_id() {
    static std::atomic<std::uint64_t> last{0}; // relaxed: the numbers order nothing
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

ompt_interface_fn_t look_up(const char* name) {
    const EntryPoint entries[] = {
        entry<ompt_enumerate_states_t>("ompt_enumerate_states", enumerate_states),
        entry<ompt_enumerate_mutex_impls_t>("ompt_enumerate_mutex_impls", enumerate_mutex_impls),
        entry<ompt_set_callback_t>("ompt_set_callback", set_callback),
        entry<ompt_get_callback_t>("ompt_get_callback", get_callback),
        entry<ompt_get_thread_data_t>("ompt_get_thread_data", get_thread_data),
        entry<ompt_get_num_procs_t>("ompt_get_num_procs", get_num_procs),
        entry<ompt_get_num_places_t>("ompt_get_num_places", get_num_places),
        entry<ompt_get_place_proc_ids_t>("ompt_get_place_proc_ids", get_place_proc_ids),
        entry<ompt_get_place_num_t>("ompt_get_place_num", get_place_num),
        entry<ompt_get_partition_place_nums_t>("ompt_get_partition_place_nums", get_partition_place_nums),
        entry<ompt_get_proc_id_t>("ompt_get_proc_id", get_proc_id),
        entry<ompt_get_state_t>("ompt_get_state", get_state),
        entry<ompt_get_parallel_info_t>("ompt_get_parallel_info", get_parallel_info),
        entry<ompt_get_task_info_t>("ompt_get_task_info", get_task_info),
        entry<ompt_get_task_memory_t>("ompt_get_task_memory", get_task_memory),
        entry<ompt_get_target_info_t>("ompt_get_target_info", get_target_info),
        entry<ompt_get_num_devices_t>("ompt_get_num_devices", get_num_devices),
        entry<ompt_get_unique_id_t>("ompt_get_unique_id", unique_id),
        entry<ompt_finalize_tool_t>("ompt_finalize_tool", finalize),
        entry("teff_get_task_id", get_task_id),
    };
    for (const EntryPoint& known : entries)
        if (std::strcmp(known.name, name) == 0) return known.function;
    return nullptr;
}

} // namespace teff::probe::ompt
