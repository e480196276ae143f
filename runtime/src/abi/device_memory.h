// SPDX-License-Identifier: Apache-2.0
// Copies and fills of memory in this process and on devices, for the device memory routines.
#pragma once

#include <cstddef>

#include "abi/host_device.h"
#include "base/call_site.h"
#include "device/where.h"

namespace teff::abi {

struct MemoryAt {
    MemoryPlace place;
    char* address;
};

// The routine that is called here.
inline device::Where routine(base::CallSite site) { return device::routine_at(site.code()); }

// These require both places to be valid. A copy between two devices does not go through this
// process.
void copy_bytes(MemoryAt to, MemoryAt from, std::size_t bytes, device::Where where);
void copy_box(MemoryAt to, MemoryAt from, const Rectangle& box, device::Where where);
void fill(MemoryAt memory, int value, std::size_t bytes, device::Where where);

} // namespace teff::abi
