// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/memory_groups.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

long open_folder(long from, const char* path) {
    return call(SYS_openat, from, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
}

// A group without a limit has no number in its file, or no file.
std::uint64_t left_of(long group, const char* limit_file, const char* usage_file) {
    const auto limit = read_number(group, limit_file), usage = read_number(group, usage_file);
    if (!limit || !usage) return MemoryGroups::kNoLimit;
    return *limit > *usage ? *limit - *usage : 0;
}

} // namespace

void MemoryGroups::add(std::string_view innermost, int levels, const char* limit_file, const char* usage_file) {
    if (count_ == kMost || innermost.size() >= PATH_MAX) return;
    Hierarchy& added = hierarchies_[count_++];
    added.levels = levels;
    added.limit_file = limit_file;
    added.usage_file = usage_file;
    std::memcpy(added.innermost, innermost.data(), innermost.size());
    added.innermost[innermost.size()] = '\0';
}

std::uint64_t MemoryGroups::left_in(const Hierarchy& hierarchy) {
    std::uint64_t left = kNoLimit;
    long group = open_folder(AT_FDCWD, hierarchy.innermost);
    for (int level = 0; group >= 0 && level < hierarchy.levels; ++level) {
        left = std::min(left, left_of(group, hierarchy.limit_file, hierarchy.usage_file));
        const long outer = open_folder(group, "..");
        call(SYS_close, group);
        group = outer;
    }
    if (group >= 0) call(SYS_close, group);
    return left;
}

std::uint64_t MemoryGroups::left_bytes() const {
    std::uint64_t left = kNoLimit;
    for (int i = 0; i < count_; ++i)
        left = std::min(left, left_in(hierarchies_[i]));
    return left;
}

} // namespace teff::probe::trace
