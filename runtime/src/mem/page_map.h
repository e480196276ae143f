// SPDX-License-Identifier: Apache-2.0
//
// PageMap: finds the allocation in which an address lies.
//
// The map is a radix tree of three levels over the numbers of pages, as in allocators such as
// tcmalloc. An allocation begins at a page boundary. The allocation is entered at each of its
// pages, but only once for each group of pages that it fills completely. So an entry of the middle
// level is either a group of pages or an allocation; the lowest bit of the entry says which of the
// two it is.
//
// find may be called by any thread, at any time, without a lock. insert and erase may be called by
// one thread at a time (the registry has a lock). Groups are made when they are first needed, and
// are never freed. Records belong to the caller. The caller may use a record again, but never frees
// its memory, because `find` may still look at it.
//
// A record is either free or describes an allocation. During a change from one to the other, the
// record's version is odd:
//
//     free -> described: insert      described -> free: erase
//
// [page-map-1] An entry is stored (release) after its record was described. A thread that loads the
//              entry (acquire) sees this description or a later one.
// [page-map-2] A reader reads the record's fields between two reads of the record's version, as in
//              a sequence lock (Boehm, "Can seqlocks get along with programming language memory
//              models?", MSPC 2012). The writer makes the version odd (relaxed, then a release
//              fence), changes the fields, and makes the version even (release). The reader loads
//              the version (acquire), then the fields, then, after an acquire fence, the version
//              again. In place of the fences, fields are stored with release and loaded with
//              acquire, because ThreadSanitizer does not know fences. On x86 the instructions are
//              the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/atomics.h"

namespace teff::mem {

// The map's data about an allocation.
struct Described {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::uint64_t placement = 0; // packed (placement.h); the map does not interpret it
};

template <class Atomics> class PageMapOver {
  public:
    template <class T> using atomic = typename Atomics::template atomic<T>;

    struct alignas(base::kCacheLine) Record {
        atomic<std::uint64_t> version{1};
        atomic<std::uintptr_t> begin{0};
        atomic<std::size_t> bytes{0};
        atomic<std::uint64_t> placement{0};
        Record* next_free = nullptr; // used by the owner of free records
    };

    // An entry of a level, or null. At the lowest level: a record. At the other levels: the level
    // below, or a record + kWhole.
    using Slot = atomic<std::uintptr_t>;

    // A page has 2^page_bits bytes, and each level has 2^level_bits entries. `make_level` returns a
    // new level whose entries are all null and which is never freed; null if there is no memory.
    struct Shape {
        unsigned page_bits, level_bits;
        Slot* (*make_level)(std::size_t entries);
    };
    explicit constexpr PageMapOver(Shape shape) : shape_(shape) {}

    // Enters an allocation, described by `record`. Requires that `what` begins at a page boundary.
    // If there is no memory, or the allocation ends beyond the map's range, returns false and
    // enters nothing.
    [[nodiscard]] bool insert(Record& record, const Described& what) {
        describe(record, what);
        if (fill(what, &record)) return true;
        erase(record);
        return false;
    }

    void erase(Record& record) {
        const Described what{record.begin.load(std::memory_order_relaxed), record.bytes.load(std::memory_order_relaxed),
                             0};
        describe(record, Described{});
        (void)fill(what, nullptr);
    }

    // Returns the allocation in which the address lies, or nothing. HOT footprint.
    std::optional<Described> find(std::uintptr_t address) const {
        const Record* const record = record_at(address);
        if (record == nullptr) return std::nullopt;
        return read(*record, address);
    }

    // Returns the record that is entered at the address, or null. Called by a thread that may erase
    // the record.
    Record* find_record(std::uintptr_t address) const { return record_at(address); }

  private:
    static constexpr std::uintptr_t kWhole = 1;

    std::size_t position(std::uintptr_t address, unsigned level) const {
        return address >> (shape_.page_bits + level * shape_.level_bits) & (entries() - 1);
    }
    std::size_t entries() const { return std::size_t{1} << shape_.level_bits; }
    std::uintptr_t group_bytes() const { return std::uintptr_t{1} << (shape_.page_bits + shape_.level_bits); }
    bool spans(std::uintptr_t address) const { return address >> (shape_.page_bits + 3 * shape_.level_bits) == 0; }

    static Slot* level_of(std::uintptr_t slot) { return reinterpret_cast<Slot*>(slot); }
    static Record* record_of(std::uintptr_t slot) { return reinterpret_cast<Record*>(slot & ~kWhole); }

    Record* record_at(std::uintptr_t address) const {
        const std::uintptr_t top = look(root_);
        if (top == 0 || !spans(address)) return nullptr;
        const std::uintptr_t middle = look(level_of(top)[position(address, 2)]);
        if (middle == 0) return nullptr;
        const std::uintptr_t group = look(level_of(middle)[position(address, 1)]);
        if (group == 0 || (group & kWhole) != 0) return record_of(group);
        return record_of(look(level_of(group)[position(address, 0)]));
    }
    static std::uintptr_t look(const Slot& slot) { return slot.load(std::memory_order_acquire); } // [page-map-1]

    // Reads the record. Returns nothing if the record does not describe an allocation in which the
    // address lies, or changes meanwhile.
    static std::optional<Described> read(const Record& record, std::uintptr_t address) {
        const std::uint64_t version = record.version.load(std::memory_order_acquire); // [page-map-2]
        Described what;
        what.begin = record.begin.load(std::memory_order_acquire);         // [page-map-2]
        what.bytes = record.bytes.load(std::memory_order_acquire);         // [page-map-2]
        what.placement = record.placement.load(std::memory_order_acquire); // [page-map-2]
        const bool stayed = version % 2 == 0 && record.version.load(std::memory_order_relaxed) == version;
        if (!stayed || address - what.begin >= what.bytes) return std::nullopt;
        return what;
    }

    static void describe(Record& record, const Described& what) {
        const std::uint64_t version = record.version.load(std::memory_order_relaxed) | 1;
        record.version.store(version, std::memory_order_relaxed);
        record.begin.store(what.begin, std::memory_order_release);                         // [page-map-2]
        record.bytes.store(what.bytes, std::memory_order_release);                         // [page-map-2]
        record.placement.store(what.placement, std::memory_order_release);                 // [page-map-2]
        if (what.bytes != 0) record.version.store(version + 1, std::memory_order_release); // [page-map-2]
    }

    // Enters the record, or null, at each page of the allocation. Returns false if the allocation
    // ends beyond the map's range, or if there is no memory for the entries of a record.
    bool fill(const Described& what, Record* record) {
        const std::uintptr_t end = what.begin + what.bytes;
        if (what.bytes == 0 || end < what.begin || !spans(end - 1)) return false;
        for (std::uintptr_t at = what.begin; at < end;) {
            const std::uintptr_t group_begin = at & ~(group_bytes() - 1), group_end = group_begin + group_bytes();
            Slot* const slot = group_slot(at, record != nullptr);
            if (slot == nullptr) return record == nullptr;
            if (at == group_begin && end - at >= group_bytes() && holds_no_level(*slot)) {
                enter(*slot, record, record != nullptr ? kWhole : 0);
            } else if (Slot* const pages = level_below(*slot, record != nullptr)) {
                for (std::uintptr_t page = at; page < end && page < group_end;
                     page += std::uintptr_t{1} << shape_.page_bits)
                    enter(pages[position(page, 0)], record, 0);
            } else if (record != nullptr) {
                return false;
            }
            at = group_end;
        }
        return true;
    }

    static bool holds_no_level(const Slot& slot) {
        const std::uintptr_t now = slot.load(std::memory_order_relaxed); // no other thread writes
        return now == 0 || (now & kWhole) != 0;
    }
    static void enter(Slot& slot, Record* record, std::uintptr_t tag) {
        slot.store(reinterpret_cast<std::uintptr_t>(record) | tag, std::memory_order_release); // [page-map-1]
    }

    // Returns the entry of the middle level for the address. Returns null if the level does not
    // exist and `make` is false, or if there is no memory.
    Slot* group_slot(std::uintptr_t address, bool make) {
        Slot* const top = level_below(root_, make);
        if (top == nullptr) return nullptr;
        Slot* const middle = level_below(top[position(address, 2)], make);
        return middle == nullptr ? nullptr : &middle[position(address, 1)];
    }

    Slot* level_below(Slot& slot, bool make) {
        const std::uintptr_t now = slot.load(std::memory_order_relaxed); // no other thread writes
        if ((now & kWhole) != 0) return nullptr;
        if (now != 0 || !make) return level_of(now);
        Slot* const level = shape_.make_level(entries());
        slot.store(reinterpret_cast<std::uintptr_t>(level), std::memory_order_release); // [page-map-1]
        return level;
    }

    Shape shape_;
    Slot root_{0};
};

using PageMap = PageMapOver<base::RealAtomics>;

} // namespace teff::mem
