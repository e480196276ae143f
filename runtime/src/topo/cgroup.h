// SPDX-License-Identifier: Apache-2.0
// The control groups of this process, versions 1 and 2, and how much processor time they grant to
// the process.
//
// Groups nest, and each level may set a quota. Of the quotas on the path from the process's group
// up to the top of the mount, the smallest applies. A container usually sees its own group as the
// top, so the container's limit is the last limit that is read. The parse_* functions are pure:
// they return what the contents of a file say. quota_processors and for_each_hierarchy read files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace teff::topo {

enum class CgroupVersion : std::uint8_t { v1, v2 };

// The group may use `quota_us` of processor time in each period of `period_us`; both are in
// microseconds.
struct Quota {
    std::uint64_t quota_us;
    std::uint64_t period_us;

    // Returns the quota in processors, rounded up; at least 1.
    int processors() const;
};

// Parses cpu.max of version 2: "150000 100000" or "max 100000". Returns nothing if there is no
// quota.
std::optional<Quota> parse_cpu_max(std::string_view line);

// Parses cpu.cfs_quota_us and cpu.cfs_period_us of version 1. Returns nothing if there is no quota,
// which the kernel writes as -1.
std::optional<Quota> parse_cfs(std::string_view quota_line, std::string_view period_line);

// Parses a line of /proc/self/cgroup. Returns the path of the group that limits the resource of
// `controller`; returns nothing if the line does not name such a group.
struct Membership {
    CgroupVersion version;
    std::string_view path;
};
std::optional<Membership> parse_membership(std::string_view line, std::string_view controller = "cpu");

// Parses a line of /proc/self/mountinfo. Returns where the groups of `controller` are mounted;
// returns nothing if the line describes another mount.
struct CgroupMount {
    CgroupVersion version;
    std::string_view root;        // the group that appears at the mount point
    std::string_view mount_point; // blanks and some other characters are octal escapes, such as \040
};
std::optional<CgroupMount> parse_mount(std::string_view line, std::string_view controller = "cpu");

// Returns the smallest quota of all levels and versions, in processors; nothing if no level sets a
// quota. `root` is prepended to every path: "" for the real files, another folder for the files of
// a test.
std::optional<int> quota_processors(const char* root);

// The process's group in one hierarchy: the folder of the group, and the number of folders from
// there up to the mount point, both included.
struct GroupFolders {
    CgroupVersion version;
    const char* innermost;
    int levels;
};
// Calls `visit` for each hierarchy that may limit the resource of `controller`, with `argument` and
// the process's group. `root`: as for quota_processors.
void for_each_hierarchy(const char* root, std::string_view controller, void (*visit)(void*, const GroupFolders&),
                        void* argument);

} // namespace teff::topo
