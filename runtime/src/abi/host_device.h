// SPDX-License-Identifier: Apache-2.0
// The host as the only device: the numbers that mean the host, and copies of boxes between arrays
// in its memory.
#pragma once

#include <cstddef>

#include "abi/current.h"

namespace teff::abi {

inline constexpr int kHost = 0;           // the host's number is the number of other devices, which is 0
inline constexpr int kDefaultDevice = -5; // omp_default_device of GCC 16 and later

// Returns true if `device`, a device number that the program has passed to a routine, means the
// host.
inline bool is_host(int device) {
    first_use();
    if (device == kDefaultDevice) device = current_icvs().default_device;
    return device == kHost || device == icv::kInitialDevice;
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

// Copies the box. Requires is_valid(box).
void copy_rectangle(char* to, const char* from, const Rectangle& box);

} // namespace teff::abi
