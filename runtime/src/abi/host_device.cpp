// SPDX-License-Identifier: Apache-2.0
#include "abi/host_device.h"

#include <cstring>

namespace teff::abi {

namespace {

Rectangle without_outermost(const Rectangle& box) {
    return {box.element_bytes,    box.dimensions - 1, box.volume + 1,    box.to_offsets + 1,
            box.from_offsets + 1, box.to_sizes + 1,   box.from_sizes + 1};
}

// Returns the number of bytes of all dimensions but the outermost.
std::size_t slice_bytes(const Rectangle& box, const std::size_t* sizes) {
    std::size_t bytes = box.element_bytes;
    for (int i = 1; i < box.dimensions; ++i)
        bytes *= sizes[i];
    return bytes;
}

bool fits(const Rectangle& box, const std::size_t* sizes, const std::size_t* offsets) {
    std::size_t slice = box.element_bytes;
    for (int i = box.dimensions - 1; i >= 0; --i) {
        std::size_t end;
        if (__builtin_add_overflow(offsets[i], box.volume[i], &end) || __builtin_mul_overflow(end, slice, &end))
            return false;
        if (i > 0 && __builtin_mul_overflow(slice, sizes[i], &slice)) return false;
    }
    return true;
}

} // namespace

bool is_valid(const Rectangle& box) {
    return box.dimensions >= 1 && fits(box, box.to_sizes, box.to_offsets) &&
           fits(box, box.from_sizes, box.from_offsets);
}

void copy_rectangle(char* to, const char* from, const Rectangle& box) {
    const std::size_t to_slice = slice_bytes(box, box.to_sizes), from_slice = slice_bytes(box, box.from_sizes);
    to += box.to_offsets[0] * to_slice;
    from += box.from_offsets[0] * from_slice;
    if (box.dimensions == 1) {
        std::memcpy(to, from, box.volume[0] * box.element_bytes);
        return;
    }
    for (std::size_t i = 0; i < box.volume[0]; ++i)
        copy_rectangle(to + i * to_slice, from + i * from_slice, without_outermost(box));
}

} // namespace teff::abi
