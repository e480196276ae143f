// SPDX-License-Identifier: Apache-2.0
// What omp_target_memcpy_rect copies: a box out of one array into another.
#pragma once

#include <cstddef>

namespace teff::abi {

// Arrays of `dimensions` dimensions; sizes and offsets are in elements, the outermost dimension
// first.
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
