// SPDX-License-Identifier: Apache-2.0
// What a stream has recorded already: the places in the program, and the loaded objects in which
// these places lie.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/cache_line.h"
#include "base/clock.h"
#include "probe/trace/build_id.h"
#include "probe/trace/object_loads.h"

namespace teff::probe::trace {

// A map from a place (call site, function) to a small number from 1 on. The map uses open
// addressing; it grows by mapping memory, and never shrinks. No number is given twice.
//
// A loaded object may be replaced by another object at the same address. So an entry also has an
// identity of the objects at the place (`objects_at`). After `doubt_all`, this identity is compared
// again when the place is met for the first time.
//
// A table that is all zero is valid and empty: a forked child finds it so (stream.h).
class SiteTable {
  public:
    // Returns the place's number, or 0 if the place is not known or is in doubt.
    std::uint32_t find(const void* call_site, const void* function) const {
        const Entry& entry = entry_of(call_site, function);
        return TEFF_LIKELY(entry.round == round_) ? entry.id : 0;
    }

    // Returns the place's number if the place lies in the same objects as before, and removes the
    // doubt. Returns 0 if the place is new.
    std::uint32_t confirm(const void* call_site, const void* function, std::uint64_t objects);
    void doubt_all() { ++round_; }

    // `next` returns the number that the next new place gets; `add` gives this number to a place.
    // If the table has no free entry for the place, the place is new again when it is met next.
    std::uint32_t next() const { return last_ + 1; }
    void take() { ++last_; } // gives the number to a place that the caller keeps elsewhere
    std::uint32_t round() const { return round_; }
    void add(const void* call_site, const void* function, std::uint64_t objects);

    // Forgets all places; they get new numbers when they are met next.
    void forget_all();

    // `is_full` returns true if one more place would make the table more than half full. `grow`
    // doubles the table; it returns false if there is no memory.
    bool is_full() const { return 2 * (count_ + 1) > mask_ + 1; }
    bool grow();

  private:
    struct Entry {
        const void* call_site = nullptr;
        const void* function = nullptr;
        std::uint64_t objects = 0;
        std::uint32_t id = 0; // 0: the entry is free
        std::uint32_t round = 0;
    };
    static constexpr std::size_t kFirstEntries = 64;

    static std::size_t hash(const void* call_site, const void* function) {
        const auto bits = reinterpret_cast<std::uintptr_t>(call_site) + 3 * reinterpret_cast<std::uintptr_t>(function);
        return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15ull >> 40);
    }
    const Entry* entries() const { return grown_ != nullptr ? grown_ : first_entries_; }
    // Returns the place's entry, or the free entry that the place would get.
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
    std::uint64_t identity;             // a digest of its addresses, its path, and its build
    std::uint64_t build_id, build_mark; // build_id.h
    char path[PATH_MAX];

    bool covers(std::uintptr_t address) const { return address >= begin && address < end; }
};

// Finds out what find_loaded_module needs. Called by the library's constructor.
void prepare_to_find_modules();

// `is_in_runtime` returns true if the address lies in the runtime's own library. It returns false
// if the library is linked into the program, or if the library's addresses cannot be found without
// a lock. prepare_to_find_modules sets `own_object`.
struct OwnObject {
    std::uintptr_t begin, bytes;
};
inline constinit OwnObject own_object{};
inline bool is_in_runtime(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - own_object.begin < own_object.bytes;
}

// Returns true if the functions below take no lock, which is so with glibc from version 2.35 on. A
// lock of the dynamic linker may be held by a thread that waits for the calling thread, that is
// stopped, or that does not exist in this process (in a forked child).
bool finds_modules_without_lock();

// Finds the loaded object that covers `address`. Returns false if no object does. The object must
// stay loaded meanwhile: the address is in code that runs now.
bool find_loaded_module(std::uintptr_t address, LoadedModule& found);

// Does the same for an object that another thread may unload meanwhile, and makes system calls.
// Returns false if it was unloaded, or if its memory cannot be read. `copy`: space to work in.
bool copy_loaded_module(std::uintptr_t address, LoadedModule& found, ObjectCopy& copy);

// When an object was last loaded at the bias; ObjectLoads::kUnknown where nobody tells. The number
// of loads so far, as far as they are told.
base::Ticks last_load(std::uintptr_t bias);
std::uint32_t number_of_loads();

// Finds the loaded object that covers `address`, with only the fields that call paths need. Returns
// false if no object covers the address, or if the search would take a lock.
struct FoundObject {
    std::uintptr_t begin, end;
    const void* tables; // its .eh_frame_hdr; null: it has none
    std::uint64_t identity;
};
bool find_object_without_lock(std::uintptr_t address, FoundObject& found);

// Returns an identity of the objects that cover a place, which differs from that of other objects
// at the same addresses. Takes no lock: if a lock would be needed, returns 0 for all places. The
// place must be in code that runs now, so that no thread unloads the code meanwhile.
std::uint64_t objects_at(const void* call_site, const void* function);

// A map from an object's identity to the number that the stream has given to the object. When the
// table is full, further objects are not remembered and get a new number each time.
class ModuleTable {
  public:
    std::uint32_t find(std::uint64_t identity) const {
        for (std::uint32_t i = 0; i < known_; ++i)
            if (identities_[i] == identity) return before_ + i + 1;
        return 0;
    }
    // Forgets all objects; they get new numbers when they are met next.
    void forget_all() { before_ = last_, known_ = 0; }
    std::uint32_t next() const { return last_ + 1; }
    void add(std::uint64_t identity, base::Ticks when) {
        ++last_;
        if (known_ == kMost) return;
        added_[known_] = when;
        identities_[known_++] = identity;
    }
    // When the object was added; `otherwise` if it is not remembered.
    base::Ticks added_at(std::uint64_t identity, base::Ticks otherwise) const {
        const std::uint32_t number = find(identity);
        return number != 0 ? added_[number - before_ - 1] : otherwise;
    }

  private:
    static constexpr std::uint32_t kMost = 128;
    std::uint64_t identities_[kMost] = {};
    base::Ticks added_[kMost] = {};
    std::uint32_t known_ = 0, last_ = 0;
    std::uint32_t before_ = 0; // numbers that were given before all were forgotten
};

} // namespace teff::probe::trace
