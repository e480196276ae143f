// SPDX-License-Identifier: Apache-2.0
//
// The pages of a block that the C library's malloc has mapped for it alone.
//
// glibc writes two words in front of each block: how many bytes lie before them in the mapping, and
// the size with flags in its lowest bits (malloc/malloc.c, "chunk"). The flag "mapped" tells a
// block with a mapping of its own, which goes when it is freed, from a part of a heap. All that is
// read here has to fit together, so that a block of another kind is not taken for one: a mapping
// ends at the end of a page, and holds what was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mem/nodes.h"
#include "mem/placement.h"

namespace teff::distribute {

struct BlockHeader {
    static constexpr std::size_t kMapped = 2, kFlags = 7;

    std::size_t bytes_before;
    std::size_t size_and_flags; // of the header and the block

    bool is_mapped() const { return (size_and_flags & kMapped) != 0; }
    std::size_t bytes() const { return size_and_flags & ~kFlags; }
};

inline BlockHeader* header_of(void* block) { return static_cast<BlockHeader*>(block) - 1; }

// The pages that hold a block of at least so many bytes, without the rest of its mapping before it.
// Nothing: it has no mapping of its own.
inline std::optional<mem::Range> own_pages(void* block, std::size_t bytes) {
    const BlockHeader header = *header_of(block);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t begin = address & ~(mem::kPageBytes - 1), end = address - sizeof header + header.bytes();
    const bool fits = end % mem::kPageBytes == 0 && end > address && end - address >= bytes;
    if (!header.is_mapped() || !fits) return std::nullopt;
    return mem::Range{reinterpret_cast<void*>(begin), end - begin};
}

} // namespace teff::distribute
