// SPDX-License-Identifier: Apache-2.0
#include "processes/written_pages.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "processes/descriptors.h"
#include "processes/layout.h"

namespace teff::processes {

namespace {

// From linux/fs.h, since Linux 6.7.
struct PageRegion {
    std::uint64_t start, end, categories;
};
struct ScanArguments {
    std::uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages;
    std::uint64_t inverted, all_of, any_of, returned;
};
constexpr unsigned long kScan = _IOWR('f', 16, ScanArguments);
enum Category : std::uint64_t { kFile = 1 << 2, kPresent = 1 << 3, kSwapped = 1 << 4 };

constexpr std::size_t kRegions = 1024;
PageRegion regions[kRegions];
int pagemap = -1;
bool can_scan = true;

void append(List<modules::Span>& written, std::uintptr_t start, std::uintptr_t end) {
    if (!written.empty() && written.back().end == start) written.back().end = end;
    else written.push({start, end});
}

// Returns false if the kernel has no such call.
bool scan(std::uintptr_t start, std::uintptr_t end, List<modules::Span>& written) {
    while (start < end) {
        ScanArguments arguments = {sizeof arguments,
                                   0,
                                   start,
                                   end,
                                   0,
                                   reinterpret_cast<std::uint64_t>(regions),
                                   kRegions,
                                   0,
                                   kFile,
                                   kFile,
                                   kPresent | kSwapped,
                                   kPresent | kSwapped};
        const int found = ioctl(pagemap, kScan, &arguments);
        if (found < 0) return false;
        for (int i = 0; i < found; ++i)
            append(written, regions[i].start, regions[i].end);
        start = arguments.walk_end;
    }
    return true;
}

// Reads the entries page by page, but not for parts that have no page tables because they were
// never touched. This is slow for much memory.
void read_entries(std::uintptr_t start, std::uintptr_t end, List<modules::Span>& written) {
    static std::uint64_t entries[512];
    constexpr std::uint64_t kIsPresent = 1ull << 63, kIsSwapped = 1ull << 62, kIsFile = 1ull << 61;
    while (start < end) {
        std::size_t count = (end - start) / kPage;
        if (count > 512) count = 512;
        const ssize_t bytes = pread(pagemap, entries, count * 8, static_cast<off_t>(start / kPage * 8));
        if (bytes <= 0) fail_errno("cannot read /proc/self/pagemap");
        for (ssize_t i = 0; i < bytes / 8; ++i)
            if ((entries[i] & (kIsPresent | kIsSwapped)) != 0 && (entries[i] & kIsFile) == 0)
                append(written, start + static_cast<std::uintptr_t>(i) * kPage,
                       start + static_cast<std::uintptr_t>(i + 1) * kPage);
        start += static_cast<std::uintptr_t>(bytes / 8) * kPage;
    }
}

} // namespace

void reopen_pagemap() {
    if (pagemap >= 0) descriptors::close_kept(pagemap);
    pagemap = descriptors::keep(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (pagemap < 0) fail_errno("cannot open /proc/self/pagemap");
}

void find_written(std::uintptr_t start, std::uintptr_t end, List<modules::Span>& written) {
    if (can_scan) {
        const std::size_t before = written.size();
        if (scan(start, end, written)) return;
        if (errno != ENOTTY && errno != EINVAL) fail_errno("cannot ask for written pages");
        written.resize(before);
        can_scan = false;
    }
    read_entries(start, end, written);
}

} // namespace teff::processes
