// SPDX-License-Identifier: Apache-2.0
//
// Presence: the host memory that a device has a copy of, and the pointers in these copies.
//
// An entry is a range of host addresses with one address on the device, and a count of the
// constructs and directives that hold it. An entry whose count falls to 0 is removed. Entries do
// not overlap, and are in order of their host addresses; adding one moves those behind it. A slot
// is a pointer in host memory whose copy on the device holds a device address. A slot is remembered
// as long as its memory is present: neither a copy to the device nor one from the device may change
// it.
//
// Host addresses are compared, never dereferenced. Guarded by the device's mutex.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/list.h"
#include "device/range_heap.h"

namespace teff::device {

struct Entry {
    Range host;
    Address device; // of the first byte
    std::uint32_t count;
    bool is_permanent;     // the count does not matter: associated by the program, or declare target
    bool is_new;           // entered by the construct that is being planned
    std::uint64_t marked;  // by the step that has changed the count: each step changes it once
    Range block;           // what the device's heap gave for it; empty: nothing
    bool was_sent = false; // with is_new: its data are on the device

    Address at(Address host_address) const { return device + (host_address - host.address); }
};

struct Slot {
    Address host;
    Address value; // on the device
    std::uint32_t attachments;
};

class Presence {
  public:
    // Returns the first entry that overlaps the range; null if there is none. The result is valid
    // until the next `add` or `remove`.
    Entry* overlapping(Range host) {
        const std::size_t i = first_ending_behind(host.address);
        return i < entries_.size() && entries_[i].host.overlaps(host) ? &entries_[i] : nullptr;
    }
    // Returns the entry that the address lies in or, if there is none, the entry that ends there.
    Entry* at_or_before(Address host) {
        if (Entry* const entry = overlapping({host, 1})) return entry;
        if (host == 0) return nullptr;
        Entry* const entry = overlapping({host - 1, 1});
        return entry;
    }

    // The entry must not overlap another one.
    Entry& add(const Entry& entry) { return entries_.insert(first_ending_behind(entry.host.address), entry); }
    // Removes the entry and the slots in it.
    void remove(Entry& entry) {
        const Range host = entry.host;
        entries_.erase(static_cast<std::size_t>(&entry - entries_.data()));
        const std::size_t first = first_slot(host.address), last = first_slot(host.end());
        slots_.erase(first, last - first);
    }

    Slot* slot(Address host) {
        const std::size_t i = first_slot(host);
        return i < slots_.size() && slots_[i].host == host ? &slots_[i] : nullptr;
    }
    Slot& add_slot(Address host) {
        if (Slot* const known = slot(host)) return *known;
        return slots_.insert(first_slot(host), {host, 0, 0});
    }
    void remove_slot(Slot& slot) { slots_.erase(static_cast<std::size_t>(&slot - slots_.data())); }
    // Calls `visit` with each slot that lies in the range as a whole.
    template <class Visit> void for_slots(Range host, Visit&& visit) {
        for (std::size_t i = first_slot(host.address); i < slots_.size() && slots_[i].host < host.end(); ++i)
            if (slots_[i].host + sizeof(Address) <= host.end()) visit(slots_[i]);
    }

    std::size_t size() const { return entries_.size(); }
    const Entry* begin() const { return entries_.begin(); }
    const Entry* end() const { return entries_.end(); }

  private:
    std::size_t first_ending_behind(Address host) const {
        const auto ends_before = [=](const Entry& entry) { return entry.host.end() <= host; };
        return static_cast<std::size_t>(std::partition_point(entries_.begin(), entries_.end(), ends_before) -
                                        entries_.begin());
    }
    std::size_t first_slot(Address host) const {
        const auto is_before = [=](const Slot& slot) { return slot.host < host; };
        return static_cast<std::size_t>(std::partition_point(slots_.begin(), slots_.end(), is_before) - slots_.begin());
    }

    base::List<Entry> entries_;
    base::List<Slot> slots_;
};

} // namespace teff::device
