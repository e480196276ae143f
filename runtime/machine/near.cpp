// SPDX-License-Identifier: Apache-2.0
#include "machine/near.h"

#include <algorithm>

#include "machine/simulation.h"
#include "task/footprint.h"

namespace teff::machine {

namespace {

std::vector<std::uint32_t> used_nodes(const Description& description) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 0; node < description.nodes; ++node)
        if (std::find(description.spare.begin(), description.spare.end(), node) == description.spare.end())
            nodes.push_back(node);
    return nodes;
}

} // namespace

std::unique_ptr<mem::NearNodes> near_nodes(const Description& description, const Topology& topology) {
    const auto machine = std::make_unique<topo::NumaNodes>();
    auto near = std::make_unique<mem::NearNodes>();
    mem::Nodes usable;
    if (description.nodes > topo::NumaNodes::kMost) return nullptr;
    machine->count = description.nodes;
    usable.count = 0;
    for (std::uint32_t from = 0; from < description.nodes; ++from) {
        machine->number[from] = static_cast<std::uint16_t>(from);
        for (std::uint32_t to = 0; to < description.nodes; ++to)
            machine->distance[from][to] =
                static_cast<std::uint8_t>(std::min<std::uint64_t>(topology.distance(from, to), UINT8_MAX));
    }
    for (const std::uint32_t node : used_nodes(description))
        usable.add(static_cast<std::uint16_t>(node));
    arrange(*machine, usable, *near);
    return near;
}

unsigned near_node_of_running_core() {
    const Simulation& machine = *Simulation::active();
    const auto& spare = machine.description().spare;
    const auto lower = std::count_if(spare.begin(), spare.end(), [&](unsigned node) { return node < machine.node(); });
    return machine.node() - static_cast<unsigned>(lower);
}

std::vector<sched::Home> homes(const Program& program, const Placed& placed, const Description& description,
                               const mem::NearNodes& nodes) {
    const auto used = used_nodes(description);
    std::vector<sched::Home> homes;
    for (const TaskSpec& task : program.tasks) {
        const auto bytes = named_bytes(task, placed, description.nodes);
        std::vector<std::size_t> sums;
        for (const std::uint32_t node : used)
            sums.push_back(bytes[node]);
        homes.push_back(task::cheapest_home(sums, nodes, description.private_bytes));
    }
    return homes;
}

} // namespace teff::machine
