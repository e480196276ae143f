// SPDX-License-Identifier: Apache-2.0
//
// The host's side of devices: plans constructs, sends them, and waits for the answers. turn.h has
// which thread may do this at a time, and how a run ends whose device is gone. A construct that
// cannot be carried out ends the program with one line, too.
#pragma once

#include <cstddef>

#include "base/list.h"
#include "device/plan.h"
#include "device/where.h"

namespace teff::device {

struct Region {
    void (*function)(void*);
    unsigned thread_limit; // 0: none
};

// Prints what each device has been sent, and has sent.
void print_figures();

// The constructs. `device` is below role().usable.
void run_region(unsigned device, const Items& items, Region region, Where where);
void enter_data(unsigned device, const Items& items, base::List<Held>* held, Where where);
void leave_data(unsigned device, const base::List<Held>& held, Where where);
void exit_data(unsigned device, const Items& items, Where where);
void update_data(unsigned device, const Items& items, Where where);

// The routines. Memory of a device is named by its address there.
void* allocate(unsigned device, std::size_t bytes, Where where); // null: there is not enough
void release(unsigned device, void* memory, Where where);
// Copies between this process and the device, in one message.
void copy(unsigned device, const base::List<Copy>& to_device, const base::List<Copy>& from_device, Where where);
// Returns the device's address for an address of the host; null if it has none.
void* mapped_address(unsigned device, const void* host, Where where);
bool is_present(unsigned device, const void* host, Where where);
// Both return false if the device has this memory already, or has it by a map clause.
bool associate(unsigned device, const void* host, std::size_t bytes, void* memory, Where where);
bool disassociate(unsigned device, const void* host, Where where);

// For placement.h. Neither waits for a construct.
// Sets has[i] for each item: whether the device has data that it names.
void find_present(unsigned device, const Items& items, bool* has);
// Whether a region with these items needs the device for another reason: it gets an address of the
// device's memory, or a data construct has changed a variable of the program there.
bool is_bound_to(unsigned device, const Items& items);

} // namespace teff::device
