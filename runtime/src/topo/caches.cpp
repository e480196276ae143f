// SPDX-License-Identifier: Apache-2.0
#include "topo/caches.h"

#include "topo/system_files.h"

namespace teff::topo {

namespace {

// As in "32768K"; 0: not so.
std::size_t size_of(std::string_view text) {
    std::size_t value = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9' && value < 1u << 30; text.remove_prefix(1))
        value = value * 10 + static_cast<std::size_t>(text.front() - '0');
    if (text == "K") return value << 10;
    return text == "M" ? value << 20 : 0;
}

std::size_t read_size(const SystemPath& path) {
    LineReader file(path.c_str());
    return size_of(file.next().value_or(std::string_view()));
}

} // namespace

std::size_t cache_share_bytes(const char* root) {
    constexpr unsigned kMostCaches = 16; // of a processor
    unsigned last = 0;
    std::size_t share = 0;
    for (unsigned cache = 0; cache < kMostCaches; ++cache) {
        const unsigned level = read_number(SystemPath(root, "cpu/cpu0/cache/index%u/level", cache));
        if (level <= last) continue;
        const auto sharers = read_list(SystemPath(root, "cpu/cpu0/cache/index%u/shared_cpu_list", cache));
        const std::size_t bytes = read_size(SystemPath(root, "cpu/cpu0/cache/index%u/size", cache));
        if (!sharers || sharers->empty() || bytes == 0) continue;
        last = level;
        share = bytes / sharers->count();
    }
    return share;
}

} // namespace teff::topo
