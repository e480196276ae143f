// SPDX-License-Identifier: Apache-2.0
//
// Keeps a device's own memory away from the addresses of the host's memory.
//
// A region that follows a pointer which no map clause has translated uses an address of the host.
// Without the randomisation of addresses, the heap, the mappings and the stack begin at the same
// places in all processes. So the device would have other data of its own at this address, and the
// region would read or destroy these. A device therefore leaves the first part of these places
// free: such a region gets a signal, and device/unmapped.h says what it has done.
//
// Where a limit of the process would count what is left free, nothing is left free.
#pragma once

namespace teff::start {

// Heap and mappings. Called in a device before anything is allocated.
void leave_memory_free();

// Calls `serve` with the stack's first part left free, and returns what it returns.
int call_below_free_stack(int (*serve)());

} // namespace teff::start
