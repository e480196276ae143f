// SPDX-License-Identifier: Apache-2.0
//
// The runtime's entry points for tools, which they get by name through `look_up` (OpenMP 5.2,
// section 19.6).
//
// Their answers about threads, regions and tasks come from the records (records.h). Their answers
// about the machine come from the layers above, which pass them in as Machine. All but the
// callbacks' and the end of the tool may be called in a signal handler. One is Teff's own:
// teff_get_task_id, a `uint64_t (*)(void)`, tells what a recording calls the current task.
#pragma once

#include "probe/ompt/records.h"

namespace teff::probe::ompt {

struct Machine {
    ThreadRecord* (*current_thread)(); // null: no thread that OpenMP knows
    int (*processors)();
    int (*places)();
    int (*place_processors)(int place, int room, int* processors); // as ompt_get_place_proc_ids
    int (*own_place)();                                            // -1: bound to none
    int (*partition)(int room, int* places);                       // as ompt_get_partition_place_nums
    int (*devices)();
    std::uint64_t (*current_task_id)(); // as recordings have it; 0: no thread that OpenMP knows
    void (*end_events)();               // the tool asks for its end: tells it what can be told here of what is open
};

// Call once, from the library's constructor.
void set_machine(const Machine& machine);

// A number that no other call returns: ompt_get_unique_id.
std::uint64_t unique_id();

// An ompt_function_lookup_t. Null: there is no entry point of that name.
ompt_interface_fn_t look_up(const char* name);

} // namespace teff::probe::ompt
