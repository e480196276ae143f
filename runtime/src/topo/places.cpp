// SPDX-License-Identifier: Apache-2.0
#include "topo/places.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "topo/system_files.h"

namespace teff::topo {

PlaceList::~PlaceList() { std::free(places_); }

bool PlaceList::append(const ProcessorSet& place) {
    if (size_ == kLimit) return false;
    if (size_ == capacity_) {
        capacity_ = std::max(capacity_ * 2, 8u);
        void* memory = std::realloc(static_cast<void*>(places_), capacity_ * sizeof(ProcessorSet));
        if (memory == nullptr) base::fatal(ENOMEM, "no memory for %u places", capacity_);
        places_ = static_cast<ProcessorSet*>(memory);
    }
    ::new (&places_[size_++]) ProcessorSet(place);
    return true;
}

bool PlaceList::remove(const ProcessorSet& place) {
    ProcessorSet* const end = places_ + size_;
    ProcessorSet* const found = std::find(places_, end, place);
    if (found == end) return false;
    std::copy(found + 1, end, found);
    --size_;
    return true;
}

void PlaceList::keep_only(const ProcessorSet& allowed) {
    unsigned kept = 0;
    for (unsigned i = 0; i < size_; ++i) {
        ProcessorSet place = places_[i];
        place &= allowed;
        if (!place.empty()) places_[kept++] = place;
    }
    size_ = kept;
}

namespace {

// The file was renamed in Linux 5.3; the old name stays for a while.
std::optional<ProcessorSet> topology_list(const char* root, unsigned processor, const char* now, const char* before) {
    if (auto list = read_list(SystemPath(root, "cpu/cpu%u/topology/%s", processor, now))) return list;
    return read_list(SystemPath(root, "cpu/cpu%u/topology/%s", processor, before));
}

// Returns the processors that share the last-level cache of `processor`. The kernel numbers the
// caches from 0 without gaps.
std::optional<ProcessorSet> last_cache_sharers(const char* root, unsigned processor) {
    unsigned last = 0, highest = 0;
    for (unsigned index = 0;; ++index) {
        const unsigned level = read_number(SystemPath(root, "cpu/cpu%u/cache/index%u/level", processor, index));
        if (level == 0) break;
        if (level < highest) continue;
        highest = level;
        last = index;
    }
    if (highest == 0) return std::nullopt;
    return read_list(SystemPath(root, "cpu/cpu%u/cache/index%u/shared_cpu_list", processor, last));
}

// Returns the processors of the node of `processor`. If the kernel names no nodes, all processors
// are in one node.
std::optional<ProcessorSet> node_of(const char* root, unsigned processor, const ProcessorSet& allowed) {
    const auto nodes = read_list(SystemPath(root, "node/%s", "online"));
    if (!nodes) return allowed;
    for (unsigned node = nodes->next(0); node < ProcessorSet::kCapacity; node = nodes->next(node + 1)) {
        const auto list = read_list(SystemPath(root, "node/node%u/cpulist", node));
        if (list && list->has(processor)) return list;
    }
    return std::nullopt;
}

std::optional<ProcessorSet> place_around(Level level, unsigned processor, const ProcessorSet& allowed,
                                         const char* root) {
    switch (level) {
    case Level::threads:
        return std::nullopt;
    case Level::cores:
        return topology_list(root, processor, "core_cpus_list", "thread_siblings_list");
    case Level::ll_caches:
        return last_cache_sharers(root, processor);
    case Level::dies: // known since Linux 5.3
        if (auto die = read_list(SystemPath(root, "cpu/cpu%u/topology/die_cpus_list", processor))) return die;
        [[fallthrough]];
    case Level::sockets:
        return topology_list(root, processor, "package_cpus_list", "core_siblings_list");
    case Level::numa_domains:
        return node_of(root, processor, allowed);
    }
    return std::nullopt;
}

} // namespace

void append_level(Level level, const ProcessorSet& allowed, unsigned limit, const char* root, PlaceList& places) {
    ProcessorSet left = allowed;
    unsigned appended = 0;
    for (unsigned processor = left.next(0); processor < ProcessorSet::kCapacity && appended < limit;
         processor = left.next(processor)) {
        ProcessorSet place = place_around(level, processor, allowed, root).value_or(ProcessorSet());
        place &= left;
        place.add(processor); // whatever the kernel says, a processor belongs to its own place
        left -= place;
        if (!places.append(place)) return;
        ++appended;
    }
}

} // namespace teff::topo
