// SPDX-License-Identifier: Apache-2.0
// The control groups of this process, versions 1 and 2, and how much processor time they grant it.
//
// Groups nest, and each level may set a quota: the smallest on the way from the process's group up
// to the top of the mount holds. A container usually sees its own group as the top, so its limit is
// the last one that is looked at. All functions but the last two are pure: from the contents of a
// file to what it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace teff::topo {

enum class CgroupVersion : std::uint8_t { v1, v2 };

// So much processor time (quota) in each stretch of time (period), both in microseconds.
struct Quota {
    std::uint64_t quota_us;
    std::uint64_t period_us;

    // Rounded up, at least 1.
    int processors() const;
};

// cpu.max of version 2: "150000 100000" or "max 100000".
std::optional<Quota> parse_cpu_max(std::string_view line);

// cpu.cfs_quota_us and cpu.cfs_period_us of version 1; a quota of -1 is none.
std::optional<Quota> parse_cfs(std::string_view quota_line, std::string_view period_line);

// A line of /proc/self/cgroup: the path of the group that rules what `controller` stands for, if
// the line names it.
struct Membership {
    CgroupVersion version;
    std::string_view path;
};
std::optional<Membership> parse_membership(std::string_view line, std::string_view controller = "cpu");

// A line of /proc/self/mountinfo: where the groups of that controller are mounted, if the line says
// so.
struct CgroupMount {
    CgroupVersion version;
    std::string_view root;        // the group that is seen at the mount point
    std::string_view mount_point; // blanks and the like are written as \040 and so on
};
std::optional<CgroupMount> parse_mount(std::string_view line, std::string_view controller = "cpu");

// The smallest grant of all, in processors; nothing if no level sets one. `root` is put before
// every path: "" for the real files, another folder for a test's.
std::optional<int> quota_processors(const char* root);

// The process's group in one hierarchy: its folder, and how many there are up to the top, itself
// included.
struct GroupFolders {
    CgroupVersion version;
    const char* innermost;
    int levels;
};
// Visits each hierarchy that may rule what `controller` stands for. `root` as above.
void for_each_hierarchy(const char* root, std::string_view controller, void (*visit)(void*, const GroupFolders&),
                        void* argument);

} // namespace teff::topo
