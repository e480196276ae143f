// SPDX-License-Identifier: Apache-2.0
// What a stream knows already: the places in the program, and the loaded objects they lie in.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::probe::trace {

// A map from (call site, function) to a small number from 1. Open addressing; grows by mapping
// memory, never shrinks. No number is given twice.
class SiteTable {
  public:
    // 0: not known.
    std::uint32_t find(const void* call_site, const void* function) const {
        for (std::size_t at = hash(call_site, function) & mask_;; at = (at + 1) & mask_) {
            const Entry& entry = entries_[at];
            if (TEFF_LIKELY(entry.call_site == call_site && entry.function == function)) return entry.id;
            if (entry.id == 0) return 0;
        }
    }

    // The number that the next new one gets, and to give it. Where the table is full, and may not
    // grow or there is no memory for it, the place is new again next time.
    std::uint32_t next() const { return last_ + 1; }
    void add(const void* call_site, const void* function, bool may_grow);

    void forget_all();

  private:
    struct Entry {
        const void* call_site = nullptr;
        const void* function = nullptr;
        std::uint32_t id = 0; // 0: free
    };
    static constexpr std::size_t kFirstEntries = 64;

    static std::size_t hash(const void* call_site, const void* function) {
        const auto bits = reinterpret_cast<std::uintptr_t>(call_site) + 3 * reinterpret_cast<std::uintptr_t>(function);
        return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15ull >> 40);
    }
    bool grow();
    void insert(const Entry& entry);

    Entry first_entries_[kFirstEntries] = {};
    Entry* entries_ = first_entries_;
    std::size_t mask_ = kFirstEntries - 1;
    std::uint32_t count_ = 0, last_ = 0;
};

struct LoadedModule {
    std::uintptr_t begin, end; // of its mapped segments
    std::uintptr_t bias;
    char path[PATH_MAX];
};

// What find_loaded_module needs to know. By the library's constructor.
void prepare_to_find_modules();

// The loaded object that covers `address`. False: none does.
bool find_loaded_module(std::uintptr_t address, LoadedModule& found);

// How many objects the process has unloaded so far. Takes a lock of the dynamic linker, which a
// program holds in its callbacks of dl_iterate_phdr; a thread may take it again. So only those ask
// for whom no such program waits: leaders of regions, and threads outside of regions.
std::uint64_t count_unloaded();

// Which numbers a stream has given to which address ranges. More objects than it holds are not remembered and get a new number each time.
class ModuleTable {
  public:
    std::uint32_t find(std::uintptr_t address) const {
        for (std::uint32_t i = 0; i < known_; ++i)
            if (address >= ranges_[i].begin && address < ranges_[i].end) return ranges_[i].number;
        return 0;
    }
    std::uint32_t next() const { return last_ + 1; }
    void add(std::uintptr_t begin, std::uintptr_t end) {
        ++last_;
        if (known_ < kMost) ranges_[known_++] = {begin, end, last_};
    }
    void forget_all() { known_ = 0; }

  private:
    static constexpr std::uint32_t kMost = 128;
    struct Range {
        std::uintptr_t begin, end;
        std::uint32_t number;
    };
    Range ranges_[kMost] = {};
    std::uint32_t known_ = 0, last_ = 0;
};

} // namespace teff::probe::trace
