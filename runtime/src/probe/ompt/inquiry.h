// SPDX-License-Identifier: Apache-2.0
//
// The runtime's entry points for tools. A tool gets them by name through `look_up` (OpenMP 5.2,
// section 19.6).
//
// The answers about threads, regions and tasks come from the records (records.h). The answers about
// the machine come from functions that the layers above this one pass in (Machine). All entry
// points may be called in a signal handler, except those that set or get callbacks or end the tool.
// One entry point is Teff's own: teff_get_task_id, a `uint64_t (*)(void)`, returns the current
// task's id in a recording.
#pragma once

#include "probe/ompt/records.h"

namespace teff::probe::ompt {

struct Machine {
    ThreadRecord* (*current_thread)(); // null: OpenMP does not know the thread
    int (*processors)();
    int (*places)();
    int (*place_processors)(int place, int room, int* processors); // as ompt_get_place_proc_ids
    int (*own_place)();                                            // -1: the thread is bound to no place
    int (*partition)(int room, int* places);                       // as ompt_get_partition_place_nums
    int (*devices)();
    std::uint64_t (*current_task_id)(); // its id in recordings; 0: OpenMP does not know the thread
    void (*end_events)();               // called before the tool ends: reports open events as ended, if possible
};

// Called once, by the library's constructor.
void set_machine(const Machine& machine);

// Returns a number that no other call returns, as ompt_get_unique_id.
std::uint64_t unique_id();

// Returns the entry point with this name, or null if there is none. Is an ompt_function_lookup_t.
ompt_interface_fn_t look_up(const char* name);

} // namespace teff::probe::ompt
