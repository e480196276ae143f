// SPDX-License-Identifier: Apache-2.0
#include "topo/processors.h"

#include <algorithm>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "topo/cgroup.h"
#include "topo/process_places.h"

namespace teff::topo {

namespace {

int online_processors() {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 1;
}

} // namespace

ProcessorSet affinity_mask() {
    ProcessorSet mask; // larger than any kernel's: a smaller one would be an error
    if (sched_getaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t*>(&mask)) != 0) return {};
    return mask;
}

bool set_affinity_mask(const ProcessorSet& mask) {
    return sched_setaffinity(0, sizeof mask, reinterpret_cast<const cpu_set_t*>(&mask)) == 0;
}

int affinity_processors() {
    if (has_places()) return static_cast<int>(processors_before_binding());
    const auto processors = static_cast<int>(affinity_mask().count());
    return processors > 0 ? processors : online_processors();
}

int usable_processors() {
    const int processors = affinity_processors();
    if (processors == 1) return 1; // no quota makes it less, so the files need not be read
    return std::min(processors, quota_processors("").value_or(processors));
}

} // namespace teff::topo
