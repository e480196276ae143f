// SPDX-License-Identifier: Apache-2.0
//
// UnfinishedWrites: the memory of the host that unfinished regions write back, and on which device
// each of them runs.
//
// Entries do not overlap, and are in order of their addresses. Ranges that overlap become one
// entry, with the device of the last; it stays until all of them have been taken out. The owner
// sees to it that one thread at a time uses it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/list.h"
#include "device/range_heap.h"

namespace teff::device {

class UnfinishedWrites {
  public:
    static constexpr int kNone = -1;

    // Returns the device of a region that writes a part of the range; kNone if there is none.
    int device_of(Range range) const {
        const std::size_t i = first_ending_behind(range.address);
        return overlaps(i, range) ? static_cast<int>(entries_[i].device) : kNone;
    }

    void add(Range range, unsigned device) {
        Entry entry = {range, device, 1};
        const std::size_t first = first_ending_behind(range.address);
        std::size_t end = first;
        for (; overlaps(end, range); ++end) {
            const Address start = std::min(entry.range.address, entries_[end].range.address);
            entry.range = {start, std::max(entry.range.end(), entries_[end].range.end()) - start};
            entry.count += entries_[end].count;
        }
        entries_.erase(first, end - first);
        entries_.insert(first, entry);
    }

    // The range has been added.
    void remove(Range range) {
        const std::size_t i = first_ending_behind(range.address);
        if (--entries_[i].count == 0) entries_.erase(i);
    }

    bool empty() const { return entries_.empty(); }

  private:
    struct Entry {
        Range range;
        unsigned device, count;
    };

    bool overlaps(std::size_t i, Range range) const { return i < entries_.size() && entries_[i].range.overlaps(range); }
    std::size_t first_ending_behind(Address address) const {
        const auto ends_before = [=](const Entry& entry) { return entry.range.end() <= address; };
        return static_cast<std::size_t>(std::partition_point(entries_.begin(), entries_.end(), ends_before) -
                                        entries_.begin());
    }

    base::List<Entry> entries_;
};

} // namespace teff::device
