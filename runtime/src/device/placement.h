// SPDX-License-Identifier: Apache-2.0
//
// Placement: on which device a region runs that names none, if TEFF_DEVICES asks for more than the
// default device.
//
// Only regions are placed. Data constructs that name no device use the default device, so what they
// map is there. These regions stay on the default device, whatever the policy is:
//
// - regions that get an address of its memory (is_device_ptr);
// - all regions, from the time on at which a data construct has mapped or updated a variable of the
//   program there, because a function sees the variable's copy without a map clause.
//
// A region that writes back memory which an unfinished region writes back, too, runs where that one
// runs: on one device both use the same copy; on two, the later copy back would undo the earlier.
// It does not if the policy finds data of it on a device: without them its results would be wrong,
// while two regions that no dependence orders rarely write the same bytes (GCC copies a structure
// back for a pointer in it).
//
// Regions with a device clause are counted in the same way, but stay where they are. A region is
// placed when it is ready, and counts until it has ended. A mutex guards the table of
// unfinished regions and the policy; host.h says what each device has, without waiting for
// constructs.
#pragma once

#include "device/map_kind.h"

namespace teff::device {

// Called once, when the process gets devices. Reads TEFF_DEVICES.
void choose_place_policy(unsigned devices);

// Whether regions are placed.
bool places_regions();

// Returns the device for a region that is ready: `asked`, if it has a device clause. The caller
// calls `unplace` when the region has ended.
unsigned place(const Items& items, unsigned asked, bool has_clause);
void unplace(const Items& items, unsigned device);

} // namespace teff::device
