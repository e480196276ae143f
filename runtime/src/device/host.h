// SPDX-License-Identifier: Apache-2.0
//
// The host's side of devices: plans constructs, sends them, and waits for the answers.
//
// Each device has a mutex, which a thread holds from the plan of a construct to its answer. So a
// device carries out one construct at a time, and its presence table never changes while a
// construct depends on it. The thread that holds it waits in the kernel and runs no tasks. No
// thread holds the mutexes of two devices. The first use of a device waits for its Hello and
// compares the modules of both processes.
//
// A device that is gone or silent, a message that fails a check, or a construct that cannot be
// carried out ends the program with one line, which names the device, the construct and the place
// in the program.
//
// A second mutex of each device, `memory_mutex`, is held while the tables change. Only a thread
// that has its turn changes them; others may read them without waiting for a construct.
#pragma once

#include <cstddef>

#include "base/list.h"
#include "device/plan.h"
#include "device/role.h"
#include "device/transport.h"

namespace teff::device {

// For messages to the user: the construct's name and the address of its code.
struct Where {
    const char* construct;
    const void* code;
};

struct Region {
    void (*function)(void*);
    unsigned thread_limit; // 0: none
};

// Called once, by take_role.
void set_peers(const Transport& transport, const Peer* peers, unsigned count);
void forget_peers();
// Prints what each device has been sent, and has sent.
void print_figures();
// Whether a device is gone, or hangs.
bool has_lost_a_device();

// The constructs. `device` is below role().usable.
void run_region(unsigned device, const Items& items, Region region, Where where);
void enter_data(unsigned device, const Items& items, base::List<Held>* held, Where where);
void leave_data(unsigned device, const base::List<Held>& held, Where where);
void exit_data(unsigned device, const Items& items, Where where);
void update_data(unsigned device, const Items& items, Where where);

// The routines. Memory of a device is named by its address there.
void* allocate(unsigned device, std::size_t bytes); // null: there is not enough
void release(unsigned device, void* memory);
// Copies between this process and the device, in one message.
void copy(unsigned device, const base::List<Copy>& to_device, const base::List<Copy>& from_device, Where where);
// Returns the device's address for an address of the host; null if it has none.
void* mapped_address(unsigned device, const void* host);
bool is_present(unsigned device, const void* host);
// Both return false if the device has this memory already, or has it by a map clause.
bool associate(unsigned device, const void* host, std::size_t bytes, void* memory);
bool disassociate(unsigned device, const void* host);

// For placement.h. Neither waits for a construct.
// Sets has[i] for each item: whether the device has data that it names.
void find_present(unsigned device, const Items& items, bool* has);
// Whether a region with these items needs the device for another reason: it gets an address of the
// device's memory, or a data construct has changed a variable of the program there.
bool is_bound_to(unsigned device, const Items& items);

} // namespace teff::device
