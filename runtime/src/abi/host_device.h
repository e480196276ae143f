// SPDX-License-Identifier: Apache-2.0
// Device numbers of routines, and boxes of arrays.
#pragma once

#include <cstddef>

#include "abi/current.h"
#include "device/role.h"

namespace teff::abi {

// The host's number is the number of devices. OMP_TARGET_OFFLOAD=disabled leaves none.
inline int host_number() {
    const device::Role& role = device::role();
    return static_cast<int>(role.is_device ? role.devices : role.usable);
}
inline constexpr int kDefaultDevice = -5; // omp_default_device of GCC 16 and later

// Returns true if `device`, a device number that the program has passed to a routine, means the
// host.
inline bool is_host(int device) {
    first_use();
    if (device == kDefaultDevice) device = current_icvs().default_device;
    return device == host_number() || device == icv::kInitialDevice;
}

// Where a routine's memory is.
struct MemoryPlace {
    bool is_valid, is_host;
    unsigned device; // if it is not the host
};
inline constexpr MemoryPlace kHostMemory = {true, true, 0};

inline MemoryPlace place_of_memory(int device) {
    if (is_host(device)) return kHostMemory;
    if (device == kDefaultDevice) device = current_icvs().default_device;
    // A device's own memory is that of its process.
    const device::Role& role = device::role();
    if (role.is_device && device == static_cast<int>(role.number)) return kHostMemory;
    const bool exists = device >= 0 && static_cast<unsigned>(device) < role.usable;
    return {exists, false, exists ? static_cast<unsigned>(device) : 0};
}

// For omp_target_memset and its asynchronous form: for a device number that does not exist, GCC 16
// sets the host's memory, and so do they.
inline MemoryPlace place_to_fill(int device) {
    const MemoryPlace place = place_of_memory(device);
    return place.is_valid ? place : kHostMemory;
}

// The arguments of omp_target_memcpy_rect, which copies a box from one array into another. Both
// arrays have `dimensions` dimensions. Sizes and offsets are in elements, the outermost dimension
// first.
struct Rectangle {
    std::size_t element_bytes;
    int dimensions;
    const std::size_t *volume, *to_offsets, *from_offsets, *to_sizes, *from_sizes;
};

// Returns true if the box has at least one dimension, and if in both arrays the byte offset of the
// box's end does not overflow a size_t.
bool is_valid(const Rectangle& box);

// Calls `row(to_offset, from_offset, bytes)`, with offsets in bytes, for each row of the box.
// Requires is_valid(box).
using Row = void (*)(void* data, std::size_t to_offset, std::size_t from_offset, std::size_t bytes);
void for_rows(const Rectangle& box, Row row, void* data);

} // namespace teff::abi
