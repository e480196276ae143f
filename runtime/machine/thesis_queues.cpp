// SPDX-License-Identifier: Apache-2.0
#include "machine/thesis_queues.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace teff::machine {

namespace {

bool is_spare(const Description& description, unsigned node) {
    return std::find(description.spare.begin(), description.spare.end(), node) != description.spare.end();
}

template <class Cost>
std::uint32_t cheapest(const std::vector<std::uint64_t>& bytes, const Description& description, Cost&& cost) {
    std::uint32_t best = kNoNode;
    std::uint64_t lowest = ~std::uint64_t{0};
    for (std::uint32_t node = 0; node < bytes.size(); ++node) {
        if (is_spare(description, node)) continue;
        std::uint64_t sum = 0;
        for (std::uint32_t from = 0; from < bytes.size(); ++from)
            sum += bytes[from] == 0 ? 0 : bytes[from] * cost(node, from);
        if (sum < lowest) lowest = sum, best = node;
    }
    return best;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

std::uint32_t fullest(const std::vector<std::uint64_t>& bytes) {
    return static_cast<std::uint32_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
}

} // namespace

std::vector<std::uint32_t> homes_on_nodes(const Program& program, const Placed& placed, const Description& description,
                                          const Topology& topology) {
    std::vector<std::uint32_t> homes;
    for (const TaskSpec& task : program.tasks) {
        const auto bytes = named_bytes(task, placed, description.nodes);
        const bool even = std::count(bytes.begin(), bytes.end(), bytes[0]) == static_cast<long>(bytes.size());
        const bool small = sum_of(bytes) <= description.private_bytes;
        const auto distance = [&](unsigned to, unsigned from) { return topology.distance(to, from); };
        homes.push_back(even || small ? kNoNode : cheapest(bytes, description, distance));
    }
    return homes;
}

std::vector<std::uint32_t> homes_on_tiles(const Program& program, const Placed& placed, const Description& description,
                                          const Topology& topology, Spreading spreading) {
    std::vector<std::uint32_t> homes;
    for (const TaskSpec& task : program.tasks) {
        const auto bytes = named_bytes(task, placed, description.nodes);
        const auto latency = [&](unsigned to, unsigned from) { return topology.latency(description.memory, to, from); };
        if (spreading != Spreading::coarse) homes.push_back(kNoNode);
        else if (task.intense != kNoExtent) homes.push_back(fullest(placed.bytes_on[task.intense]));
        else
            homes.push_back(sum_of(bytes) <= description.private_bytes ? kNoNode
                                                                       : cheapest(bytes, description, latency));
    }
    return homes;
}

namespace {

// Returns the nodes for which `allowed(from, to)` is true, the nearest first. Of equally near
// nodes, the node with the next number comes first.
template <class Allowed, class Threshold>
Sources nearest_first(const Description& description, const Topology& topology, Allowed&& allowed,
                      Threshold&& threshold) {
    Sources sources(description.nodes);
    for (unsigned from = 0; from < description.nodes; ++from) {
        std::vector<std::pair<std::uint64_t, unsigned>> order; // how far, and how many numbers on
        for (unsigned i = 1; i < description.nodes; ++i)
            if (const unsigned to = (from + i) % description.nodes; allowed(from, to))
                order.push_back({topology.distance(from, to), i});
        std::sort(order.begin(), order.end());
        sources[from].push_back({from, 0});
        for (const auto& [far, i] : order) {
            const unsigned to = (from + i) % description.nodes;
            sources[from].push_back({to, threshold(from, to)});
        }
    }
    return sources;
}

} // namespace

Sources sources_on_nodes(const Description& description, const Topology& topology, Steps steps) {
    std::vector<std::uint64_t> classes; // of distance between two nodes
    for (unsigned from = 0; from < description.nodes; ++from)
        for (unsigned to = 0; to < description.nodes; ++to)
            if (from != to) classes.push_back(topology.distance(from, to));
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    const auto threshold = [&](unsigned from, unsigned to) {
        const std::uint64_t distance = topology.distance(from, to);
        const auto rank = std::lower_bound(classes.begin(), classes.end(), distance) - classes.begin() + 1;
        return (steps == Steps::hops ? static_cast<std::uint64_t>(rank) : distance) * description.cores_per_node;
    };
    return nearest_first(description, topology, [](unsigned, unsigned) { return true; }, threshold);
}

Sources sources_on_tiles(const Description& description, const Topology& topology, unsigned vicinity) {
    const unsigned columns = std::max(1u, description.mesh_columns);
    const unsigned wide = vicinity == 1 ? 1 : vicinity == 4 ? 2 : vicinity <= 16 ? 4 : description.nodes;
    const unsigned high = vicinity == 1 ? 1 : vicinity <= 8 ? 2 : vicinity <= 16 ? 4 : description.nodes;
    const auto together = [=](unsigned a, unsigned b) {
        return a % columns / wide == b % columns / wide && a / columns / high == b / columns / high;
    };
    return nearest_first(description, topology, together, [](unsigned, unsigned) { return std::uint64_t{0}; });
}

ThesisQueues::ThesisQueues(std::vector<std::uint32_t> cores, std::vector<std::uint32_t> nodes, Sources sources,
                           NodeOfTask home)
    : PolicyOver(sched::Stands::kInPlaceOfDefault), cores_(std::move(cores)), nodes_(std::move(nodes)),
      sources_(std::move(sources)), home_(home) {
    for (std::size_t node = 0; node < sources_.size(); ++node)
        queues_.push_back(std::make_unique<Queue>());
}

bool ThesisQueues::put(Lane& lane, sched::Runnable* item) {
    deal(item, nodes_[lane.number]);
    return true;
}

void ThesisQueues::deal(sched::Runnable* item, std::uint32_t here) {
    const std::uint32_t home = home_(item), node = home == kNoNode ? here : home;
    queues_[node]->length.fetch_add(1, std::memory_order_relaxed);
    queues_[node]->tasks.put(item);
    ++dealt_;
    rouse_takers(node);
}

void ThesisQueues::rouse_takers(std::uint32_t node) {
    const std::uint32_t length = queues_[node]->length.load(std::memory_order_relaxed);
    for (std::size_t member = 0; member < cores_.size(); ++member)
        for (const Source& source : sources_[nodes_[member]])
            if (source.node == node && length > source.more_than) Simulation::active()->rouse(cores_[member], this);
}

sched::Runnable* ThesisQueues::look(std::uint32_t node, const sched::Waiter& waiter) {
    for (const Source& source : sources_[node]) {
        Queue& queue = *queues_[source.node];
        if (queue.length.load(std::memory_order_relaxed) <= source.more_than) continue;
        sched::Runnable* const item = queue.tasks.take_if(waiter);
        if (item == nullptr) continue;
        queue.length.fetch_sub(1, std::memory_order_relaxed);
        return item;
    }
    return nullptr;
}

// While a core searches, a task may be put into a queue that the core has examined already. In that
// case the core searches again.
sched::Runnable* ThesisQueues::take(Lane& lane, const sched::Waiter& waiter, sched::Look, sched::Sought) {
    const std::uint32_t node = nodes_[lane.number];
    const std::uint64_t dealt = dealt_;
    sched::Runnable* const item = look(node, waiter);
    if (item == nullptr && !over_ && dealt == dealt_) Simulation::active()->sleep(this);
    return item;
}

bool ThesisQueues::looks_drained() const {
    for (const auto& queue : queues_)
        if (!queue->tasks.looks_empty()) return false;
    return true;
}

void ThesisQueues::rouse_all() {
    over_ = true;
    for (const std::uint32_t core : cores_)
        Simulation::active()->rouse(core, this);
}

} // namespace teff::machine
