// SPDX-License-Identifier: Apache-2.0
//
// MemoryGroups: how much memory the process may still take within the limits of its control groups.
//
// A file on a file system in memory (tmpfs) is charged to the group of the process that writes it.
// If the group's memory runs out, the kernel kills processes, so a recording there must not use it
// up.
//
// The groups are noted when the library is loaded. If the process is moved to other groups later,
// the old groups still count.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace teff::probe::trace {

class MemoryGroups {
  public:
    static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

    // Adds a group and the groups around it, `levels` in all. `innermost` is the group's folder.
    // `limit_file` and `usage_file` are the files of each group that say how much memory the group
    // may take and how much it has taken. Called by the library's constructor.
    void add(std::string_view innermost, int levels, const char* limit_file, const char* usage_file);

    // Returns how many bytes the group with the least memory left has left; kNoLimit if no group
    // has a limit. Called apart (apart.h).
    std::uint64_t left_bytes() const;

  private:
    static constexpr int kMost = 2; // one hierarchy of each version of control groups

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
