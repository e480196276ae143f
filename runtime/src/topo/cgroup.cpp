// SPDX-License-Identifier: Apache-2.0
#include "topo/cgroup.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/uncancelled.h"
#include "topo/line_reader.h"

namespace teff::topo {

namespace {

// Removes the part before the first separator, and the separator, from `text`, and returns the
// part; if there is no separator, the part is the whole text.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t at = std::min(text.find(separator), text.size());
    const std::string_view first(text.data(), at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return first;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t value = 0;
    if (text.empty()) return std::nullopt;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        if (__builtin_mul_overflow(value, 10u, &value)) return std::nullopt;
        if (__builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) return std::nullopt;
    }
    return value;
}

std::optional<Quota> make_quota(std::string_view quota, std::string_view period) {
    const auto quota_us = parse_count(quota);
    const auto period_us = parse_count(period);
    if (!quota_us || !period_us || *quota_us == 0 || *period_us == 0) return std::nullopt;
    return Quota{*quota_us, *period_us};
}

bool has_item(std::string_view list, std::string_view wanted) {
    while (!list.empty())
        if (take(list, ',') == wanted) return true;
    return false;
}

// A path to which pieces are appended, and which is cut from its end. It becomes invalid if it is
// too long for the kernel or if there is no memory. The text is on the heap, because the stack may
// be small.
class Path {
  public:
    explicit Path(std::string_view start)
        : text_(static_cast<char*>(std::calloc(1, kBytes))), valid_(text_ != nullptr) {
        append(start);
    }
    ~Path() { std::free(text_); }
    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;

    void append(std::string_view part) {
        if (size_ + part.size() >= kBytes) valid_ = false;
        if (!valid_ || part.empty()) return;
        std::memcpy(text_ + size_, part.data(), part.size());
        size_ += part.size();
        text_[size_] = '\0';
    }

    // As `append`, but replaces the octal escapes of mountinfo (\040 for a blank) by their
    // characters.
    void append_unescaped(std::string_view part) {
        while (!part.empty()) {
            const bool escaped = part.size() >= 4 && part[0] == '\\';
            const char c =
                escaped ? static_cast<char>((part[1] - '0') * 64 + (part[2] - '0') * 8 + (part[3] - '0')) : part[0];
            append({&c, 1});
            part.remove_prefix(escaped ? 4 : 1);
        }
    }

    void cut(std::size_t size) {
        if (text_ == nullptr) return;
        size_ = size;
        text_[size_] = '\0';
    }
    void cut_last_component() {
        std::size_t size = size_;
        while (size > 0 && text_[--size] != '/') {
        }
        cut(size);
    }

    bool valid() const { return valid_; }
    std::size_t size() const { return size_; }
    const char* c_str() const { return text_; }

  private:
    static constexpr std::size_t kBytes = PATH_MAX;

    char* text_;
    bool valid_;
    std::size_t size_ = 0;
};

// Returns the first line of a file of the group. Changes `group` during the call and restores it.
struct FirstLine {
    std::array<char, 64> text;
    std::size_t size = 0;
    operator std::string_view() const { return {text.data(), size}; }
};
FirstLine first_line(Path& group, std::string_view file) {
    const std::size_t size = group.size();
    group.append(file);
    FirstLine result;
    if (group.valid()) {
        LineReader reader(group.c_str());
        if (const auto line = reader.next(); line && line->size() <= result.text.size()) {
            std::memcpy(result.text.data(), line->data(), line->size());
            result.size = line->size();
        }
    }
    group.cut(size);
    return result;
}

std::optional<Quota> quota_of(Path& group, CgroupVersion version) {
    if (version == CgroupVersion::v2) return parse_cpu_max(first_line(group, "/cpu.max"));
    const FirstLine quota = first_line(group, "/cpu.cfs_quota_us");
    if (!parse_count(quota)) return std::nullopt; // mostly so: -1, no quota
    return parse_cfs(quota, first_line(group, "/cpu.cfs_period_us"));
}

// Returns the group's path below the mount point; "" is the mount point itself. A group outside the
// mounted part cannot be seen (in a container that shares the host's names); then the result is "",
// because only the mount point can be read.
std::string_view path_in_mount(std::string_view group, std::string_view mount_root) {
    if (mount_root == "/") mount_root = {};
    const bool inside =
        group.size() >= mount_root.size() && std::string_view(group.data(), mount_root.size()) == mount_root;
    if (!inside || group.find("/..") != std::string_view::npos) return {};
    group.remove_prefix(mount_root.size());
    if (!group.empty() && group.front() != '/') return {};
    return group == "/" ? std::string_view() : group;
}

std::optional<int> smaller(std::optional<int> a, std::optional<int> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

std::optional<int> smallest_on_the_way_up(Path& group, CgroupVersion version, std::size_t top) {
    std::optional<int> smallest;
    while (group.valid()) {
        if (const auto quota = quota_of(group, version)) smallest = smaller(smallest, quota->processors());
        if (group.size() <= top) break;
        group.cut_last_component();
    }
    return smallest;
}

// The groups of this process, one per version; empty: none.
struct Memberships {
    Path v1{{}};
    Path v2{{}};
};

void read_memberships(const char* root, std::string_view controller, Memberships& memberships) {
    Path path(root);
    path.append("/proc/self/cgroup");
    LineReader lines(path.c_str());
    while (const auto line = lines.next())
        if (const auto found = parse_membership(*line, controller))
            (found->version == CgroupVersion::v1 ? memberships.v1 : memberships.v2).append(found->path);
}

// Calls `visit` for the process's group in each hierarchy, with the group's path in the file
// system. The first `top` bytes of the path are the mount point.
template <class Visit> void visit_groups(const char* root, std::string_view controller, Visit visit) {
    const base::Uncancelled whole;
    Memberships memberships;
    read_memberships(root, controller, memberships);
    if (memberships.v1.size() == 0 && memberships.v2.size() == 0) return;

    Path mounts(root);
    mounts.append("/proc/self/mountinfo");
    LineReader lines(mounts.c_str());
    while (const auto line = lines.next()) {
        const auto mount = parse_mount(*line, controller);
        if (!mount) continue;
        const Path& group = mount->version == CgroupVersion::v1 ? memberships.v1 : memberships.v2;
        if (group.size() == 0) continue;
        Path path(root);
        path.append_unescaped(mount->mount_point);
        const std::size_t top = path.size();
        path.append(path_in_mount(group.c_str(), mount->root));
        if (path.valid()) visit(path, mount->version, top);
    }
}

} // namespace

int Quota::processors() const {
    const std::uint64_t rounded_up = quota_us / period_us + (quota_us % period_us != 0 ? 1 : 0);
    return static_cast<int>(std::clamp<std::uint64_t>(rounded_up, 1, INT_MAX));
}

std::optional<Quota> parse_cpu_max(std::string_view line) {
    const std::string_view quota = take(line, ' ');
    return make_quota(quota, line);
}

std::optional<Quota> parse_cfs(std::string_view quota_line, std::string_view period_line) {
    return make_quota(quota_line, period_line);
}

std::optional<Membership> parse_membership(std::string_view line, std::string_view controller) {
    const std::string_view hierarchy = take(line, ':');
    const std::string_view controllers = take(line, ':');
    if (line.empty() || line.front() != '/') return std::nullopt;
    if (hierarchy == "0" && controllers.empty()) return Membership{CgroupVersion::v2, line};
    if (has_item(controllers, controller)) return Membership{CgroupVersion::v1, line};
    return std::nullopt;
}

std::optional<CgroupMount> parse_mount(std::string_view line, std::string_view controller) {
    for (int skipped = 0; skipped < 3; ++skipped) // mount id, parent id, device
        take(line, ' ');
    const std::string_view root = take(line, ' ');
    const std::string_view mount_point = take(line, ' ');
    while (!line.empty() && take(line, ' ') != "-") {
    } // options, and optional fields up to the hyphen
    const std::string_view type = take(line, ' ');
    take(line, ' '); // source
    if (root.empty() || mount_point.empty()) return std::nullopt;
    if (type == "cgroup2") return CgroupMount{CgroupVersion::v2, root, mount_point};
    if (type == "cgroup" && has_item(line, controller)) return CgroupMount{CgroupVersion::v1, root, mount_point};
    return std::nullopt;
}

std::optional<int> quota_processors(const char* root) {
    std::optional<int> smallest;
    visit_groups(root, "cpu", [&](Path& group, CgroupVersion version, std::size_t top) {
        smallest = smaller(smallest, smallest_on_the_way_up(group, version, top));
    });
    return smallest;
}

void for_each_hierarchy(const char* root, std::string_view controller, void (*visit)(void*, const GroupFolders&),
                        void* argument) {
    visit_groups(root, controller, [&](Path& group, CgroupVersion version, std::size_t top) {
        const char* const below = group.c_str() + top;
        const auto inner = std::count(below, group.c_str() + group.size(), '/');
        visit(argument, {version, group.c_str(), 1 + static_cast<int>(inner)});
    });
}

} // namespace teff::topo
