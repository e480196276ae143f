// SPDX-License-Identifier: Apache-2.0
//
// MemoryGroups: how much memory the control groups of the process leave it.
//
// A file on a file system in memory (tmpfs) is charged to the group of the process that writes it.
// If the group's memory runs out, the kernel kills processes, so a recording there must not use it
// up.
//
// The groups are noted when the library is loaded. If a process is moved to other groups later, it
// still counts as being in the old ones.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace teff::probe::trace {

class MemoryGroups {
  public:
    static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

    // A group and those that it lies in, `levels` in all; the files of each that say how much it
    // may take and how much it has taken. By the library's constructor.
    void add(std::string_view innermost, int levels, const char* limit_file, const char* usage_file);

    // Apart (apart.h). What the tightest of them has left, in bytes.
    std::uint64_t left_bytes() const;

  private:
    static constexpr int kMost = 2; // a hierarchy of each version

    struct Hierarchy {
        int levels;
        const char* limit_file;
        const char* usage_file;
        char innermost[PATH_MAX];
    };
    static std::uint64_t left_in(const Hierarchy& hierarchy);

    int count_ = 0;
    Hierarchy hierarchies_[kMost];
};

} // namespace teff::probe::trace
