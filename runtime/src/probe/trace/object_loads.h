// SPDX-License-Identifier: Apache-2.0
//
// ObjectLoads: when the dynamic linker has loaded each object of the process.
//
// A sample is stored some time after it was taken. If the program has unloaded a library in the
// meantime, and loaded another at the same address, the sample must not be named after the second.
// So a sample gets the name of an object only if the object was there when the sample was taken.
//
// The auditor (audit/audit.cpp), which the linker tells of each load, owns and fills such a table.
// site_table.cpp finds it, and has one more, of the objects that were loaded before the recorder
// was prepared. In a process without the auditor, no later load is known.
//
// The table has one entry for each bias, the distance by which an object's addresses were moved. An
// object that is loaded where another was gets the same entry, with the time of the last load.
// Entries are never removed. Once the table is full, the loads of further biases are not known.
//
// [load-1] One thread at a time calls `note`: the linker holds its lock. It stores the time before
//          the bias, so a reader that finds the bias finds a time. Any thread may call `last_load`,
//          without a lock. [load-2] `number` counts the loads, each after its entry is stored.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace teff::probe::trace {

class ObjectLoads {
  public:
    static constexpr std::size_t kMost = 1024;
    static constexpr std::uint64_t kUnknown = 0;

    void note(std::uintptr_t bias, std::uint64_t ticks) {
        for (std::size_t i = 0; i < kMost; ++i) {
            Entry& entry = entries_[(first_place(bias) + i) % kMost];
            const std::uintptr_t key = entry.key.load(std::memory_order_relaxed);
            if (key != 0 && key != key_of(bias)) continue;
            entry.ticks.store(ticks, std::memory_order_relaxed);
            if (key == 0) entry.key.store(key_of(bias), std::memory_order_release); // [load-1]
            break;
        }
        const std::uint32_t before = number_.load(std::memory_order_relaxed);
        number_.store(before + 1, std::memory_order_release); // [load-2]
    }

    // When an object was last loaded at the bias. kUnknown: none is known.
    std::uint64_t last_load(std::uintptr_t bias) const {
        for (std::size_t i = 0; i < kMost; ++i) {
            const Entry& entry = entries_[(first_place(bias) + i) % kMost];
            const std::uintptr_t key = entry.key.load(std::memory_order_acquire); // [load-1]
            if (key == key_of(bias)) return entry.ticks.load(std::memory_order_relaxed);
            if (key == 0) return kUnknown;
        }
        return kUnknown;
    }

    std::uint32_t number() const { return number_.load(std::memory_order_acquire); } // [load-2]

  private:
    // All zero: free.
    struct Entry {
        std::atomic<std::uintptr_t> key;
        std::atomic<std::uint64_t> ticks;
    };
    // A bias of 0 is that of a program at fixed addresses. All are multiples of the page's size.
    static std::uintptr_t key_of(std::uintptr_t bias) { return bias | 1; }
    static std::size_t first_place(std::uintptr_t bias) { return (bias >> 12) * 0x9e3779b97f4a7c15ull >> 54; }

    Entry entries_[kMost] = {};
    std::atomic<std::uint32_t> number_{0};
};

// The name by which the auditor exports its table.
inline constexpr char kObjectLoadsName[] = "teff_object_loads";

} // namespace teff::probe::trace
