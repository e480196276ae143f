// SPDX-License-Identifier: Apache-2.0
//
// Modules: the program and its libraries in this process, and where another process of the same
// program has each of them.
//
// A function or a variable with static storage is named by its module and its offset there, which
// is the same in all processes that have loaded the same file. So such an address has a translation
// even if the loader has put the module elsewhere. Two files are the same if their build ids are;
// a file without a build id is compared by its size in memory.
//
// Each process reads its own list from the loader. The other process sends its list as
// ModuleRecords. Guarded by the mutex of the device that it belongs to.
#pragma once

#include <cstdint>

#include "base/list.h"
#include "device/range_heap.h"

namespace teff::device {

// A module in a message. Names and build ids are cut where they do not fit.
struct ModuleRecord {
    Address base; // that the loader adds to the file's addresses
    std::uint64_t bytes;
    unsigned char build_id[32];
    char name[88]; // without the folder; empty: the program

    bool is_same_file(const ModuleRecord& other) const;
    bool has_name_of(const ModuleRecord& other) const;
    bool has_build_id() const;
};

// What an address range is.
enum class Storage {
    elsewhere, // heap, stack, or memory that a program has mapped
    constant,  // in a module, and not writable after relocation
    writable,  // in a module
};

// A place in code, for messages.
struct PlaceText {
    char text[256];
};

class Modules {
  public:
    // Reads the loader's list, and forgets what `match` has found. What is known of modules that
    // were loaded later (note_start) stays.
    void read();
    // How often the loader has loaded or unloaded a module in this process: if it has changed,
    // `read` finds others.
    static std::uint64_t changes();

    const base::List<ModuleRecord>& records() const { return records_; }

    // Notes where the other process has each module. Returns null; or a module that the other
    // process has in another version. If note_start has been called, modules that were loaded later
    // do not count: libraries in several folders may have the same name, and those without a build
    // id the same size.
    const ModuleRecord* match(const ModuleRecord* others, std::size_t count);
    // Notes where the other process has the module of `address`, whatever its name is there.
    // Returns false if it has another version.
    bool match_at(Address address, const ModuleRecord& other);
    // Whether every module that both processes have lies at the same address in both. If note_start
    // has been called, modules that were loaded later do not count, as those of an MPI library,
    // which may lie anywhere.
    bool lie_equally() const;
    // Called by the library's constructor, before the program's main.
    static void note_start();

    // Whether the address lies in a module that was loaded later (note_start).
    bool is_later(Address address) const;
    // Whether the address lies in a module that was loaded later (note_start) and that the other
    // process does not have. Whether there is such a module.
    bool is_unmatched(Address address) const;
    bool has_unmatched() const { return has_unmatched_; }
    // An address of the same module that is mapped from its file, as zeroed variables are not.
    Address address_in_file(Address address) const;

    Storage storage(Range range) const;
    bool is_code(Address address) const;
    // Returns the module's address in the other process; 0 if `address` lies in no module, or if
    // the other process does not have the module.
    Address translate(Address address) const;
    // Returns the module that has the address; null if there is none.
    const ModuleRecord* find(Address address) const;
    // Names the module and the offset, as addr2line wants them; no text if `code` is in no module.
    PlaceText describe(Address code) const;

  private:
    struct Segment {
        Range range;
        std::uint32_t module;
        bool is_writable, is_code;
    };
    struct Other {
        bool is_known;
        Address base;
    };

    void add(const void* dl_phdr_info);
    void look_for_unmatched();
    const Segment* segment_of(Address address) const;

    base::List<ModuleRecord> records_;
    base::List<Other> others_; // of each record
    base::List<Segment> segments_;
    bool has_unmatched_ = false;
};

// Stores the path of the file of the module that has the address, with a final zero, even if it was
// loaded by a relative path; an empty one if the system does not tell. (A path is too long for a
// small stack.)
void find_path_of_module_at(Address address, base::List<char>& path);

} // namespace teff::device
