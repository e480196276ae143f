// SPDX-License-Identifier: Apache-2.0
//
// Unmapped: says which address a region has used that the device does not have.
//
// A region gets such an address from a pointer that no map clause has translated, mostly one to the
// host's heap, mappings or stack, where a device has nothing (start/apart.h). One line says the
// address and the place in the code; then the signal does what it would have done. If the program
// has a handler of its own, there is no line.
#pragma once

#include "device/modules.h"

namespace teff::device {

// Called once, before the device serves. `modules` stays, and never changes while a region runs.
void watch_for_unmapped(const Modules& modules, unsigned device);

// Around the code of a region: faults outside of regions are not those of map clauses.
void region_begins();
void region_ends();

} // namespace teff::device
