// SPDX-License-Identifier: Apache-2.0
#include "topo/processors.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <sched.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system_call.h"
#include "topo/cgroup.h"
#include "topo/process_places.h"

namespace teff::topo {

namespace {

int online_processors() {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 1;
}

// The quota of the groups when it was last read. Accesses are relaxed: no other data depend on the
// number.
std::atomic<int> quota_seen{INT_MAX};
std::atomic<std::uint64_t> next_look_ns{0};

// Reading the files takes tens of microseconds, and a limit seldom changes.
int quota() {
    constexpr std::uint64_t kHolds_ns = 100'000'000;
    const std::uint64_t now_ns = base::coarse_ns();
    std::uint64_t due_ns = next_look_ns.load(std::memory_order_relaxed);
    if (now_ns >= due_ns &&
        next_look_ns.compare_exchange_strong(due_ns, now_ns + kHolds_ns, std::memory_order_relaxed)) {
        const int before = errno; // the program's
        quota_seen.store(quota_processors("").value_or(INT_MAX), std::memory_order_relaxed);
        errno = before;
    }
    return quota_seen.load(std::memory_order_relaxed);
}

int processors_of_mask() {
    const auto processors = static_cast<int>(affinity_mask().count());
    return processors > 0 ? processors : online_processors();
}

int within_quota(int processors) {
    if (processors == 1) return 1; // no quota makes it less, so the files need not be read
    return std::min(processors, quota());
}

} // namespace

ProcessorSet affinity_mask() {
    ProcessorSet mask; // larger than any kernel's: a smaller one would be an error
    if (base::is_error(base::call(SYS_sched_getaffinity, 0, sizeof mask, &mask))) mask = {};
    return mask;
}

bool set_affinity_mask(const ProcessorSet& mask) {
    return base::call(SYS_sched_setaffinity, 0, sizeof mask, &mask) == 0;
}

int affinity_processors() {
    return has_places() ? static_cast<int>(processors_before_binding()) : processors_of_mask();
}

int usable_processors() { return within_quota(affinity_processors()); }
int usable_without_places() { return within_quota(processors_of_mask()); }

} // namespace teff::topo
