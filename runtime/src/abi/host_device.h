// SPDX-License-Identifier: Apache-2.0
// The one device there is, the host: the numbers that stand for it, and copies of boxes between
// arrays in its memory.
#pragma once

#include <cstddef>

#include "abi/current.h"

namespace teff::abi {

inline constexpr int kHost = 0;           // the number behind the last device, of which there is none
inline constexpr int kDefaultDevice = -5; // omp_default_device, to GCC 16 and later

// For numbers that the program names to a routine.
inline bool is_host(int device) {
    first_use();
    if (device == kDefaultDevice) device = current_icvs().default_device;
    return device == kHost || device == icv::kInitialDevice;
}

// What omp_target_memcpy_rect copies: a box out of one array into another. Both have `dimensions`
// dimensions; sizes and offsets are in elements, the outermost dimension first.
struct Rectangle {
    std::size_t element_bytes;
    int dimensions;
    const std::size_t *volume, *to_offsets, *from_offsets, *to_sizes, *from_sizes;
};

// At least one dimension, and every address in both arrays, up to the end of the box, can be
// reckoned in a size_t.
bool is_valid(const Rectangle& box);

void copy_rectangle(char* to, const char* from, const Rectangle& box);

} // namespace teff::abi
