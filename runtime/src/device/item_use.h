// SPDX-License-Identifier: Apache-2.0
//
// What the list of a construct says of the data that it uses. These functions plan nothing and
// change nothing. The caller holds what guards the memory (host.cpp).
#pragma once

#include "device/plan.h"

namespace teff::device {

// Whether the device has data that the item names, or a part of them.
bool is_present(Memory&, const Items&, std::size_t item);

// The host's memory that the item changes at the end of its construct, if it is not present; empty
// if there is none.
Range written_by(const Items&, std::size_t item);

// Whether an item is an address in the range: is_device_ptr passes an address of the device as it
// passes an integer.
bool names_address_in(Range, const Items&);

// Whether an item is a variable of the program or of a library, which functions see on the device
// without naming it in a map clause.
bool names_variable(const Memory&, const Items&);

} // namespace teff::device
