// SPDX-License-Identifier: Apache-2.0
#include "abi/host_device.h"

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

// `to` and `from` are the offsets of the parts of both arrays in which the box lies.
void visit_rows(const Rectangle& box, std::size_t to, std::size_t from, Row row, void* data) {
    const std::size_t to_slice = slice_bytes(box, box.to_sizes), from_slice = slice_bytes(box, box.from_sizes);
    to += box.to_offsets[0] * to_slice;
    from += box.from_offsets[0] * from_slice;
    if (box.dimensions == 1) return row(data, to, from, box.volume[0] * box.element_bytes);
    for (std::size_t i = 0; i < box.volume[0]; ++i)
        visit_rows(without_outermost(box), to + i * to_slice, from + i * from_slice, row, data);
}

} // namespace

bool is_valid(const Rectangle& box) {
    return box.dimensions >= 1 && fits(box, box.to_sizes, box.to_offsets) &&
           fits(box, box.from_sizes, box.from_offsets);
}

void for_rows(const Rectangle& box, Row row, void* data) { visit_rows(box, 0, 0, row, data); }

} // namespace teff::abi
