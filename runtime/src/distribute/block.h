// SPDX-License-Identifier: Apache-2.0
//
// Finds the pages of a block for which the C library's malloc has made a separate mapping.
//
// glibc writes two words in front of each block: the number of bytes before these words in the
// mapping, and the size with flags in its lowest bits (malloc/malloc.c, "chunk"). The flag "mapped"
// distinguishes a block with a separate mapping, which is unmapped when the block is freed, from a
// part of a heap. The code also checks that the values are consistent, so that it takes no other
// block for a mapped block: a mapping ends at the end of a page, and holds at least as many bytes
// as were requested.
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
    std::size_t size_and_flags; // the size of header and block together, and kFlags

    bool is_mapped() const { return (size_and_flags & kMapped) != 0; }
    std::size_t bytes() const { return size_and_flags & ~kFlags; }
};

inline BlockHeader* header_of(void* block) { return static_cast<BlockHeader*>(block) - 1; }

// Returns the pages that hold a block of at least `bytes` bytes, without the pages of its mapping
// before the block. Returns nothing if the block has no separate mapping.
inline std::optional<mem::Range> own_pages(void* block, std::size_t bytes) {
    const BlockHeader header = *header_of(block);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t begin = address & ~(mem::kPageBytes - 1), end = address - sizeof header + header.bytes();
    const bool fits = end % mem::kPageBytes == 0 && end > address && end - address >= bytes;
    if (!header.is_mapped() || !fits) return std::nullopt;
    return mem::Range{reinterpret_cast<void*>(begin), end - begin};
}

} // namespace teff::distribute
