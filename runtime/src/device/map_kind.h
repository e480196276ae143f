// SPDX-License-Identifier: Apache-2.0
//
// The kinds of map items, as GCC passes them to the functions of the target constructs. Bits 0 to 7
// of an item's word are its kind, the bits above are the logarithm of its alignment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/range_heap.h"

namespace teff::device {

enum class MapKind : std::uint8_t {
    alloc = 0x00,
    to = 0x01,
    from = 0x02,
    tofrom = 0x03,
    pointer = 0x04,
    to_pset = 0x05, // a descriptor of Fortran
    force_present = 0x06,
    delete_ = 0x07,
    firstprivate = 0x0c,
    firstprivate_int = 0x0d, // also is_device_ptr and has_device_addr
    use_device_ptr = 0x0e,
    zero_length = 0x0f, // a pointer that is used, but whose target the construct does not map
    use_device_ptr_if_present = 0x10,
    always_to = 0x11,
    always_from = 0x12,
    always_tofrom = 0x13,
    release = 0x17,
    struct_ = 0x1c, // its size is the number of members, which follow
    always_pointer = 0x1d,
    pointer_to_zero_length = 0x1e,
    delete_zero_length = 0x1f,
    attach = 0x50,
    detach = 0x51,
    attach_zero_length = 0x52,
    force_alloc = 0x80, // the next four: as alloc to tofrom
    force_to = 0x81,
    force_from = 0x82,
    force_tofrom = 0x83,
    always_present_to = 0x95, // from GCC 13 on
    always_present_from = 0x96,
    always_present_tofrom = 0x97,
    force_detach = 0xd1,
};

inline constexpr unsigned kImplicitBits = 0x60; // an item that no map clause names

inline bool is_implicit(unsigned short word) { return (word & kImplicitBits) == kImplicitBits; }
inline MapKind kind_of(unsigned short word) {
    const unsigned kind = word & 0xff;
    return static_cast<MapKind>(is_implicit(word) ? kind & ~kImplicitBits : kind);
}
// Larger alignments than that of a page do not occur; a shift by 64 or more is not defined.
inline std::uint64_t alignment_of(unsigned short word) {
    constexpr unsigned kMost = 30;
    const unsigned log = word >> 8;
    return std::uint64_t{1} << (log < kMost ? log : kMost);
}

// What an item that maps memory asks for.
struct Transfer {
    bool to, from, always, must_be_present;
};

// Returns false, and no direction, if the kind is none of those that map memory.
bool get_transfer(MapKind kind, Transfer& transfer);

// The list of a construct. Element i of each array describes item i.
struct Items {
    std::size_t count;
    void** addresses;
    const std::size_t* sizes;
    const unsigned short* kinds;

    MapKind kind(std::size_t i) const { return kind_of(kinds[i]); }
    Address address(std::size_t i) const { return reinterpret_cast<Address>(addresses[i]); }
    Range range(std::size_t i) const { return {address(i), sizes[i]}; }
};

} // namespace teff::device
