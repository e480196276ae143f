// SPDX-License-Identifier: Apache-2.0
#include "topo/processors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "topo/cgroup.h"

namespace teff::topo {

namespace {

// Room for 65536 processors: eight times what Linux can be built for. A smaller mask than the kernel's is an error.
constexpr std::size_t kMaskWords = 1024;

int online_processors() {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 1;
}

} // namespace

int affinity_processors() {
    std::array<unsigned long, kMaskWords> mask = {};
    if (sched_getaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t*>(mask.data())) != 0) return online_processors();
    int processors = 0;
    for (const unsigned long word : mask)
        processors += std::popcount(word);
    return std::max(processors, 1);
}

int usable_processors() {
    const int processors = affinity_processors();
    if (processors == 1) return 1; // no quota makes it less, so the files need not be read
    return std::min(processors, quota_processors("").value_or(processors));
}

} // namespace teff::topo
