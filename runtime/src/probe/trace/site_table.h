// SPDX-License-Identifier: Apache-2.0
// What a stream knows already: the places in the program, and the loaded objects they lie in.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/cache_line.h"

namespace teff::probe::trace {

// A map from (call site, function) to a small number from 1. Open addressing; grows by mapping
// memory, never shrinks. No number is given twice.
//
// Another object may come to lie where one lay, so a place is known by its objects, too
// (`objects_at`). They are compared again when a place is first met after `doubt_all`.
//
// A table that is all zero knows nothing: so a forked child finds it (stream.h).
class SiteTable {
  public:
    // 0: not known, or in doubt.
    std::uint32_t find(const void* call_site, const void* function) const {
        const Entry& entry = entry_of(call_site, function);
        return TEFF_LIKELY(entry.round == round_) ? entry.id : 0;
    }

    // A place that lies in the same objects as before is in doubt no more. 0: it is new.
    std::uint32_t confirm(const void* call_site, const void* function, std::uint64_t objects);
    void doubt_all() { ++round_; }

    // The number that the next new one gets, and to give it. Where the table has no free entry for
    // it, the place is new again next time.
    std::uint32_t next() const { return last_ + 1; }
    void take() { ++last_; } // by who remembers it elsewhere
    std::uint32_t round() const { return round_; }
    void add(const void* call_site, const void* function, std::uint64_t objects);

    // Whether the next new place finds the table half full, and to double it.
    bool is_full() const { return 2 * (count_ + 1) > mask_ + 1; }
    bool grow();

  private:
    struct Entry {
        const void* call_site = nullptr;
        const void* function = nullptr;
        std::uint64_t objects = 0;
        std::uint32_t id = 0; // 0: free
        std::uint32_t round = 0;
    };
    static constexpr std::size_t kFirstEntries = 64;

    static std::size_t hash(const void* call_site, const void* function) {
        const auto bits = reinterpret_cast<std::uintptr_t>(call_site) + 3 * reinterpret_cast<std::uintptr_t>(function);
        return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15ull >> 40);
    }
    const Entry* entries() const { return grown_ != nullptr ? grown_ : first_entries_; }
    // The place's own, or the free one that it would get.
    const Entry& entry_of(const void* call_site, const void* function) const {
        for (std::size_t at = hash(call_site, function) & mask_;; at = (at + 1) & mask_) {
            const Entry& entry = entries()[at];
            if (TEFF_LIKELY(entry.call_site == call_site && entry.function == function) || entry.id == 0) return entry;
        }
    }
    Entry& entry_of(const void* call_site, const void* function) {
        return const_cast<Entry&>(std::as_const(*this).entry_of(call_site, function));
    }

    Entry first_entries_[kFirstEntries] = {};
    Entry* grown_ = nullptr;
    std::size_t mask_ = kFirstEntries - 1;
    std::uint32_t count_ = 0, last_ = 0;
    std::uint32_t round_ = 1;
};

struct LoadedModule {
    std::uintptr_t begin, end; // of its mapped segments
    std::uintptr_t bias;
    std::uint64_t identity;             // of where it lies, its path, and its build
    std::uint64_t build_id, build_mark; // build_id.h
    char path[PATH_MAX];

    bool covers(std::uintptr_t address) const { return address >= begin && address < end; }
};

// What find_loaded_module needs to know. By the library's constructor.
void prepare_to_find_modules();

// Whether the address lies in the runtime's own library: false where that is part of the program,
// or where it cannot be told without a lock. prepare_to_find_modules finds it.
struct OwnObject {
    std::uintptr_t begin, bytes;
};
inline constinit OwnObject own_object{};
inline bool is_in_runtime(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - own_object.begin < own_object.bytes;
}

// Whether the functions below take no lock: so with glibc from version 2.35 on. A lock of the
// dynamic linker may be held by a thread that waits for this one, that is stopped, or that the
// process has not got, being a forked child.
bool finds_modules_without_lock();

// The loaded object that covers `address`. False: none does.
bool find_loaded_module(std::uintptr_t address, LoadedModule& found);

// The same, and no more of it than call paths need. False: none does, or that takes a lock.
struct FoundObject {
    std::uintptr_t begin, end;
    const void* tables; // its .eh_frame_hdr, null: it has none
    std::uint64_t identity;
};
bool find_object_without_lock(std::uintptr_t address, FoundObject& found);

// Tells the objects that cover a place from others that lie there at another time; takes no lock.
// For places in code that runs now: nobody unloads it meanwhile. Where that would take a lock, all
// are taken for the same.
std::uint64_t objects_at(const void* call_site, const void* function);

// Which numbers a stream has given to which objects, by their identity. More than it holds are not
// remembered and get a new number each time.
class ModuleTable {
  public:
    std::uint32_t find(std::uint64_t identity) const {
        for (std::uint32_t i = 0; i < known_; ++i)
            if (identities_[i] == identity) return i + 1;
        return 0;
    }
    std::uint32_t next() const { return last_ + 1; }
    void add(std::uint64_t identity) {
        ++last_;
        if (known_ < kMost) identities_[known_++] = identity;
    }

  private:
    static constexpr std::uint32_t kMost = 128;
    std::uint64_t identities_[kMost] = {};
    std::uint32_t known_ = 0, last_ = 0;
};

} // namespace teff::probe::trace
