// SPDX-License-Identifier: Apache-2.0
//
// RangeHeap: gives out pieces of an address range that belongs to another process. It only
// calculates: it reads and writes nothing in the range.
//
// The host keeps one for the memory that each device has reserved. So the host knows every address
// on the device when it plans a construct, and needs no message to allocate. Guarded by the
// device's mutex.
//
// The free pieces are in order of their addresses; neighbours are united. A search takes the first
// piece that is large enough, which is linear in the number of free pieces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/list.h"
#include "base/round_up.h"

namespace teff::device {

using Address = std::uint64_t; // in a device's process, or a host address as a number

struct Range {
    Address address;
    std::uint64_t bytes;

    Address end() const { return address + bytes; }
    bool contains(Range other) const {
        return other.address >= address && other.bytes <= bytes && other.address - address <= bytes - other.bytes;
    }
    bool overlaps(Range other) const { return address < other.end() && other.address < end(); }
};

class RangeHeap {
  public:
    static constexpr std::uint64_t kLine = 64; // pieces begin and end at multiples of it

    void add(Range free) { give_back(free); }

    // Returns a piece of at least `bytes` bytes whose address is a multiple of `alignment`, a power
    // of two. Returns an empty range if there is none.
    Range allocate(std::uint64_t bytes, std::uint64_t alignment = kLine) {
        if (bytes > UINT64_MAX - kLine) return {};
        bytes = bytes == 0 ? kLine : base::round_up(bytes, kLine);
        if (alignment < kLine) alignment = kLine;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            const Range piece = free_[i];
            const Address start = base::round_up(piece.address, alignment);
            if (start < piece.address || start - piece.address > piece.bytes) continue;
            if (piece.bytes - (start - piece.address) < bytes) continue;
            free_.erase(i);
            if (start + bytes != piece.end()) free_.insert(i, {start + bytes, piece.end() - (start + bytes)});
            if (start != piece.address) free_.insert(i, {piece.address, start - piece.address});
            return {start, bytes};
        }
        return {};
    }

    // `piece` comes from allocate.
    void give_back(Range piece) {
        std::size_t i = index_behind(piece.address);
        if (i < free_.size() && piece.end() == free_[i].address) {
            piece.bytes += free_[i].bytes;
            free_.erase(i);
        }
        if (i > 0 && free_[i - 1].end() == piece.address) {
            free_[i - 1].bytes += piece.bytes;
            return;
        }
        free_.insert(i, piece);
    }

    std::uint64_t free_bytes() const {
        std::uint64_t bytes = 0;
        for (const Range& piece : free_)
            bytes += piece.bytes;
        return bytes;
    }

  private:
    std::size_t index_behind(Address address) const {
        const auto is_before = [=](const Range& piece) { return piece.address < address; };
        return static_cast<std::size_t>(std::partition_point(free_.begin(), free_.end(), is_before) - free_.begin());
    }

    base::List<Range> free_;
};

} // namespace teff::device
