// SPDX-License-Identifier: Apache-2.0
#include "machine/description.h"

#include <algorithm>
#include <array>

#include "machine/key_file.h"

namespace teff::machine {

namespace {

constexpr unsigned kMostNodes = 64; // mem::Nodes has room for no more
constexpr unsigned kMostCores = 256;

Problem node_pair(std::string_view word, Link& link) {
    const auto dash = word.find('-');
    if (dash != word.npos && read(word.substr(0, dash), link.from) && read(word.substr(dash + 1), link.to)) return {};
    return quoted(word) + " is no link; write two nodes as 0-1";
}

Problem latency(const Words& words, Latency& value) {
    const std::array<NamedTime, 4> parts = {
        {{"own", value.own, true}, {"sibling", value.sibling}, {"remote", value.remote}, {"hop", value.hop}}};
    if (Problem problem = named_times(words, parts, "own 138 remote 166 hop 84"); !problem.empty()) return problem;
    return value.own == 0 ? "own is 0; write more than that" : Problem();
}

Problem links(const Words& words, Description& to) {
    Time per_line = 0;
    if (words.size() < 3) return "write cycles for a line, and links: links 21 0-1 0-2";
    if (Problem problem = cycles(words[1], per_line); !problem.empty()) return problem;
    for (std::size_t i = 2; i < words.size(); ++i) {
        Link link{.per_line = per_line};
        if (Problem problem = node_pair(words[i], link); !problem.empty()) return problem;
        to.links.push_back(link);
    }
    return {};
}

Problem mesh(const Words& words, Description& to) {
    std::uint64_t columns = 0, rows = 0;
    if (words.size() != 4) return "write columns, rows, and cycles for a line: mesh 8 8 16";
    if (Problem problem = whole(words[1], 1, kMostNodes, columns); !problem.empty()) return problem;
    if (Problem problem = whole(words[2], 1, kMostNodes, rows); !problem.empty()) return problem;
    to.mesh_columns = static_cast<unsigned>(columns);
    to.mesh_rows = static_cast<unsigned>(rows);
    return cycles(words[3], to.mesh_per_line);
}

Problem numbers(const Words& words, std::uint64_t most, std::vector<unsigned>& to) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::uint64_t value = 0;
        if (Problem problem = whole(words[i], 0, most, value); !problem.empty()) return problem;
        to.push_back(static_cast<unsigned>(value));
    }
    return {};
}

Problem row_of_distances(const Words& words, Description& to) {
    return numbers(words, 255, to.distance.emplace_back());
}

Problem standard(const Words& words, Description& to) {
    if (words.size() != 2 || (words[1] != "fine" && words[1] != "first_touch")) return "write fine or first_touch";
    to.standard_is_fine = words[1] == "fine";
    return {};
}

template <auto kField> Problem latencies(const Words& words, Description& to) { return latency(words, to.*kField); }

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

using D = Description;
constexpr Key<D> kKeys[] = {
    {"name", [](const Words& words, Description& to) { return plain_word(words, to.name); }},
    {"clock_mhz", number<&D::clock_mhz, 1, 100'000, D>},
    {"nodes", number<&D::nodes, 1, kMostNodes, D>},
    {"cores_per_node", number<&D::cores_per_node, 1, kMostCores, D>},
    {"nodes_per_package", number<&D::nodes_per_package, 1, kMostNodes, D>, false},
    {"spare", [](const Words& words, Description& to) { return numbers(words, kMostNodes - 1, to.spare); }, false},
    {"mesh", mesh, false},
    {"links", links, false, true},
    {"distance", row_of_distances, false, true},
    {"line_bytes", number<&D::line_bytes, 8, 4096, D>, false},
    {"unit_bytes", number<&D::unit_bytes, 8, 1 << 21, D>, false},
    {"standard", standard, false},
    {"cache_bytes", number<&D::cache_bytes, 0, kGiB, D>, false},
    {"private_bytes", number<&D::private_bytes, 0, kGiB, D>, false},
    {"cache_cycles", time<&D::cache_per_line, D>, false},
    {"outstanding", number<&D::outstanding, 1, 1024, D>},
    {"memory_cycles", latencies<&D::memory>},
    {"load_cycles", latencies<&D::load>},
    {"atomic_cycles", latencies<&D::atomic>},
    {"cached_cycles", time<&D::cached, D>, false},
    {"cached_atomic_cycles", time<&D::cached_atomic, D>, false},
    {"controller_cycles", time<&D::controller_per_line, D>},
    {"operation_cycles", time<&D::operation, D>},
    {"creation_cycles", time<&D::creation, D>},
    {"wake_cycles", time<&D::wake, D>},
    {"sleep_cycles", time<&D::sleep, D>},
    {"spin_cycles", time<&D::spin, D>},
    {"work_clock_mhz", number<&D::work_clock_mhz, 1, 100'000, D>, false},
};

// The lines of the file on which the parts of the description stand.
struct Lines {
    const KeyFile<D>& keys;
    std::vector<unsigned> links; // of each link

    unsigned of(std::string_view name) const { return keys.line_of(name); }
};

Fault check_links(const Description& d, const Lines& lines) {
    if (d.mesh_columns != 0 && !d.links.empty())
        return {lines.of("mesh"), "has both a mesh and links; leave one of them out"};
    if (d.mesh_columns != 0 && d.mesh_columns * d.mesh_rows != d.nodes)
        return {lines.of("mesh"), "the mesh has " + std::to_string(d.mesh_columns * d.mesh_rows) + " places for " +
                                      std::to_string(d.nodes) + " nodes; make them equal"};
    for (std::size_t i = 0; i < d.links.size(); ++i) {
        const Link& link = d.links[i];
        if (link.from >= d.nodes || link.to >= d.nodes || link.from == link.to)
            return {lines.links[i], "there is no link " + std::to_string(link.from) + "-" + std::to_string(link.to) +
                                        " between " + std::to_string(d.nodes) +
                                        " nodes, which count from 0; correct it"};
    }
    return {};
}

// Checks that all nodes can be reached from node 0.
Fault check_connected(const Description& d, const Lines& lines) {
    if (d.mesh_columns != 0) return {};
    std::vector<bool> reached(d.nodes);
    reached[0] = true;
    for (unsigned round = 0; round < d.nodes; ++round)
        for (const Link& link : d.links)
            if (reached[link.from] || reached[link.to]) reached[link.from] = reached[link.to] = true;
    const auto lost = std::find(reached.begin(), reached.end(), false);
    if (lost == reached.end()) return {};
    return {lines.of("nodes"),
            "node " + std::to_string(lost - reached.begin()) + " has no way to node 0; add a link, or a mesh"};
}

// Checks that a path between packages has a cost.
Fault check_latencies(const Description& d, const Lines& lines) {
    struct Asked {
        std::string_view key;
        const Latency& latency;
    };
    const std::array<Asked, 3> all = {
        {{"memory_cycles", d.memory}, {"load_cycles", d.load}, {"atomic_cycles", d.atomic}}};
    for (const auto& [key, latency] : all) {
        const bool covered = latency.sibling != 0 && d.nodes == d.nodes_per_package;
        if (d.nodes > 1 && !covered && latency.remote + latency.hop == 0)
            return {lines.of(key), std::string(key) + ": other nodes cost nothing; add remote, or hop, or both"};
    }
    return {};
}

Fault check_distances(const Description& d, const Lines& lines) {
    if (d.distance.empty()) return {};
    bool square = d.distance.size() == d.nodes;
    for (const auto& row : d.distance)
        square = square && row.size() == d.nodes;
    if (square) return {};
    return {lines.of("distance"), "the distances are no table of " + std::to_string(d.nodes) + " by " +
                                      std::to_string(d.nodes) + "; write a line for each node, or none at all"};
}

Fault check_cores(const Description& d, const Lines& lines) {
    if (d.nodes % d.nodes_per_package != 0)
        return {lines.of("nodes_per_package"), "the nodes do not fill the packages; correct nodes_per_package"};
    if (d.nodes * d.cores_per_node > kMostCores)
        return {lines.of("cores_per_node"), "has more than " + std::to_string(kMostCores) + " cores; model fewer"};
    for (const unsigned node : d.spare)
        if (node >= d.nodes)
            return {lines.of("spare"), "the spare node " + std::to_string(node) + " does not exist; they count from 0"};
    if (d.spare.size() >= d.nodes) return {lines.of("spare"), "all nodes are spare; leave some"};
    return {};
}

Fault check(const Description& d, const Lines& lines) {
    for (const auto judge : {check_cores, check_links, check_connected, check_latencies, check_distances})
        if (const Fault fault = judge(d, lines); !fault.problem.empty())
            return {fault.line, "the machine: " + fault.problem};
    return {};
}

} // namespace

Parsed parse_description(std::string_view text, const std::string& file) {
    Description found;
    KeyFile<D> keys(kKeys);
    Lines lines{keys, {}};
    std::string error = keys.parse(
        text, file, found, [&](unsigned line) { lines.links.resize(found.links.size(), line); },
        [&] { return check(found, lines); });
    if (!error.empty()) return {{}, std::move(error)};
    return {std::move(found), {}};
}

Parsed read_description(const std::string& path) {
    std::string text, error;
    if (!read_file(path, "docs/formats/machine.md", text, error)) return {{}, std::move(error)};
    return parse_description(text, path);
}

} // namespace teff::machine
