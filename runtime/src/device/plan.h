// SPDX-License-Identifier: Apache-2.0
//
// Plan: what a construct does on a device, calculated completely before anything is sent.
//
// The functions of this file turn the list of map items of a construct into a plan, and change the
// presence table and the device's heap accordingly. They move no data and send nothing. They read
// the program's memory only where an item is a pointer whose copy on the device must point to the
// device's copy of its target.
//
// A plan that ends with a problem leaves the table changed half-way: the caller ends the program.
// The caller holds the device's mutex until the plan has been carried out.
#pragma once

#include <cstdint>

#include "base/list.h"
#include "device/map_kind.h"
#include "device/modules.h"
#include "device/presence.h"
#include "device/range_heap.h"

namespace teff::device {

// Data of a construct that has not had its turn yet, which are on the device already (ahead.h).
struct SentAhead {
    const void* construct; // the addresses of its list of items
    Range host, block;     // `block` is empty if sending has failed: it may still be written
    bool is_stale;         // the memory of the host may have changed since
};

// What the host knows of a device's memory.
struct Memory {
    Presence presence;
    RangeHeap heap;
    Modules modules;
    std::uint64_t steps = 0; // see Entry::marked
    base::List<SentAhead> sent_ahead;
};

struct Copy {
    Address device;
    Address host;
    std::uint64_t bytes;
};
struct Store {
    Address device;
    std::uint64_t value;
};

// Why a construct cannot be carried out.
struct Problem {
    const char* text = nullptr; // null: there is none
    std::size_t item = 0;
    Range host = {}; // the memory in question
};

// In the order in which the device carries it out.
struct Plan {
    base::List<Copy> to_device;
    base::List<Store> stores;
    Address arguments = 0; // on the device; the construct's function gets it
    base::List<Copy> from_device;
    base::List<Range> released;         // the heap gets them back when the plan has been carried out
    std::uint64_t sent_ahead_bytes = 0; // which are not in `to_device`
    // Pointers in the host's memory that `from_device` overwrites, and that must keep their values.
    base::List<Address> kept_slots;
    Problem problem;
};

// An item that stays until its construct ends.
struct Held {
    Range host;
    bool is_attachment; // of the pointer at host.address; else an entry's part
    bool from, always;
};

// target: maps the items, and gives the words for the region's function as `plan.arguments`. The
// plan also has what happens when the region has ended.
void plan_region(Memory&, const Items&, Plan&);

// target data and target enter data: maps the items. use_device_ptr overwrites items.addresses.
// What the construct's end has to do is added to `held`, if that is not null.
void plan_enter(Memory&, const Items&, Plan&, base::List<Held>* held);

// The end of target data.
void plan_leave(Memory&, const base::List<Held>& held, Plan&);

// target exit data.
void plan_exit(Memory&, const Items&, Plan&);

// target update.
void plan_update(Memory&, const Items&, Plan&);

// Returns the device's address for a host address, or for one behind the last byte of what is
// present; 0 if there is none.
Address translate(Memory&, Address host);

// Memory of the host changes: what has been sent ahead of it must be sent again.
void make_stale(Memory&, Range host);

} // namespace teff::device
