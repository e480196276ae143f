// SPDX-License-Identifier: Apache-2.0
//
// Later libraries: those that the host has loaded by dlopen, after the devices have begun.
//
// A device loads such a library when a construct needs it for the first time: because its region is
// code of the library, or an item of its map clauses lies in the library's memory. The host asks
// for it by the path of the file, and learns where the device has it. The host's loader may know
// the file by another name, as that of a link. The library's constructors run on the device then,
// and it stays there until the device ends. A library that the device cannot load, or has in
// another version, ends the run.
#pragma once

#include "device/map_kind.h"
#include "device/modules.h"
#include "device/turn.h"

namespace teff::device {

// Called before the construct is planned. `function`: 0 if the construct has no region.
void load_later_libraries(Turn& turn, const Items& items, Address function);

// The device's side: loads the library, and says an address in it. Returns null, or why it cannot.
const char* load_library(const char* path, Address& inside);

} // namespace teff::device
