// SPDX-License-Identifier: Apache-2.0
#include "topo/numa_nodes.h"

#include <new>
#include <optional>
#include <pthread.h>
#include <string_view>

#include "topo/system_files.h"

namespace teff::topo {

namespace {

using Sets = std::optional<ProcessorSet>; // of nodes, which the kernel writes as it writes processors

// The stack may be small: each function has at most one set in its frame, and is not inlined.
[[gnu::noinline]] Sets nodes_that_are(const char* root, const char* what) {
    return read_list(SystemPath(root, "node/%s", what));
}

// Returns false if the kernel names no node with memory.
[[gnu::noinline]] bool read_numbers(const char* root, NumaNodes& nodes) {
    Sets with_memory;
    for (const char* const file : {"has_memory", "has_normal_memory", "online"})
        if (!with_memory || with_memory->empty()) with_memory = nodes_that_are(root, file);
    if (!with_memory || with_memory->next(0) >= NumaNodes::kMostNumber) return false;
    nodes.count = 0;
    for (unsigned node = with_memory->next(0); node < NumaNodes::kMostNumber && nodes.count < NumaNodes::kMost;
         node = with_memory->next(node + 1))
        nodes.number[nodes.count++] = static_cast<std::uint16_t>(node);
    return true;
}

// The numbers of a line such as "10 16 16 22", one after the other.
class Numbers {
  public:
    explicit Numbers(std::string_view line) : left_(line) {}

    std::optional<unsigned> next() {
        while (!left_.empty() && left_.front() == ' ')
            left_.remove_prefix(1);
        if (left_.empty()) return std::nullopt;
        unsigned value = 0;
        for (; !left_.empty() && left_.front() != ' '; left_.remove_prefix(1)) {
            const unsigned digit = static_cast<unsigned>(left_.front() - '0');
            if (digit > 9 || value > 255) return std::nullopt;
            value = value * 10 + digit;
        }
        return value;
    }

  private:
    std::string_view left_;
};

// Calls `visit` with each node that is online and its distance from the node `from`. The file of a
// node has these distances in one line, in the order of the nodes. Returns false if the line is
// missing or not valid.
template <class Visit> bool each_distance(const char* root, unsigned from, const ProcessorSet& online, Visit&& visit) {
    LineReader file(SystemPath(root, "node/node%u/distance", from).c_str());
    const auto line = file.next();
    if (!line) return false;
    Numbers numbers(*line);
    for (unsigned node = online.next(0); node < ProcessorSet::kCapacity; node = online.next(node + 1)) {
        const auto distance = numbers.next();
        if (!distance || *distance < NumaNodes::kLocal || *distance > 255) return false;
        visit(node, *distance);
    }
    return !numbers.next();
}

bool read_distances_from(const char* root, unsigned from, const ProcessorSet& online, NumaNodes& nodes) {
    return each_distance(root, nodes.number[from], online, [&](unsigned node, unsigned distance) {
        const unsigned to = nodes.index_of(node);
        if (to != NumaNodes::kMost) nodes.distance[from][to] = static_cast<std::uint8_t>(distance);
    });
}

void suppose_distances(NumaNodes& nodes) {
    for (unsigned from = 0; from < nodes.count; ++from) {
        nodes.distance[from].fill(NumaNodes::kFar);
        nodes.distance[from][from] = NumaNodes::kLocal;
    }
}

[[gnu::noinline]] void read_distances(const char* root, const ProcessorSet& online, NumaNodes& nodes) {
    bool known = true;
    for (unsigned node = 0; node < nodes.count; ++node)
        known = read_distances_from(root, node, online, nodes) && known;
    if (!known) suppose_distances(nodes);
}

// Returns the index of the node with memory that is nearest to a node without memory. Of several
// with the same distance it returns the first.
unsigned nearest_to(const char* root, unsigned number, const ProcessorSet& online, const NumaNodes& nodes) {
    unsigned best = 0, best_distance = 256;
    (void)each_distance(root, number, online, [&](unsigned node, unsigned distance) {
        const unsigned index = nodes.index_of(node);
        if (index == NumaNodes::kMost || distance >= best_distance) return;
        best = index;
        best_distance = distance;
    });
    return best;
}

[[gnu::noinline]] Sets processors_of(const char* root, unsigned node) {
    return read_list(SystemPath(root, "node/node%u/cpulist", node));
}

[[gnu::noinline]] void read_processors(const char* root, const ProcessorSet& online, NumaNodes& nodes) {
    for (unsigned node = online.next(0); node < NumaNodes::kMostNumber; node = online.next(node + 1)) {
        const Sets processors = processors_of(root, node);
        if (!processors || processors->empty()) continue;
        const unsigned own = nodes.index_of(node);
        const unsigned nearest = own != NumaNodes::kMost ? own : nearest_to(root, node, online, nodes);
        for (unsigned cpu = processors->next(0); cpu < ProcessorSet::kCapacity; cpu = processors->next(cpu + 1))
            nodes.nearest[cpu] = static_cast<std::uint8_t>(nearest);
    }
}

} // namespace

void read_numa_nodes(const char* root, NumaNodes& nodes) {
    ::new (&nodes) NumaNodes; // in its place: the stack may be a small one
    if (!read_numbers(root, nodes)) return;
    const Sets online = nodes_that_are(root, "online");
    if (!online) return suppose_distances(nodes);
    read_distances(root, *online, nodes);
    read_processors(root, *online, nodes);
}

const NumaNodes& numa_nodes() {
    static constinit NumaNodes process_nodes;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { read_numa_nodes("", process_nodes); });
    return process_nodes;
}

} // namespace teff::topo
