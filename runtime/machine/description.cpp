// SPDX-License-Identifier: Apache-2.0
#include "machine/description.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

namespace teff::machine {

namespace {

using Words = std::vector<std::string_view>;

constexpr unsigned kMostNodes = 64; // mem::Nodes has room for so many
constexpr unsigned kMostCores = 256;
constexpr std::size_t kMostBytes = 1'000'000; // of a file

// An error, or nothing.
using Problem = std::string;

// An error of the whole, and the line that is to be corrected.
struct Fault {
    unsigned line = 0;
    Problem problem;
};

Words split(std::string_view line) {
    Words words;
    line = line.substr(0, line.find('#'));
    for (;;) {
        const auto begin = line.find_first_not_of(" \t\r");
        if (begin == line.npos) return words;
        const auto end = std::min(line.find_first_of(" \t\r", begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        line.remove_prefix(end);
    }
}

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

template <class Number> bool read(std::string_view word, Number& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
}

Problem whole(std::string_view word, std::uint64_t least, std::uint64_t most, std::uint64_t& value) {
    if (read(word, value) && value >= least && value <= most) return {};
    return quoted(word) + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

// Cycles, with up to three digits behind the point that count.
Problem cycles(std::string_view word, Time& value) {
    constexpr double kMost = 1e9;
    double number = 0;
    if (!read(word, number) || !(number >= 0 && number <= kMost))
        return quoted(word) + " is no number of cycles from 0 to 1e9";
    value = static_cast<Time>(std::llround(number * static_cast<double>(kCycle)));
    return {};
}

Problem node_pair(std::string_view word, Link& link) {
    const auto dash = word.find('-');
    if (dash != word.npos && read(word.substr(0, dash), link.from) && read(word.substr(dash + 1), link.to)) return {};
    return quoted(word) + " is no link; write two nodes as 0-1";
}

Problem latency(const Words& words, Latency& value) {
    struct Part {
        std::string_view name;
        Time& value;
    };
    const std::array<Part, 4> parts = {
        {{"own", value.own}, {"sibling", value.sibling}, {"remote", value.remote}, {"hop", value.hop}}};
    if (words.size() < 3 || words.size() % 2 == 0) return "write pairs of a name and cycles: own 138 remote 166 hop 84";
    for (std::size_t i = 1; i < words.size(); i += 2) {
        const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == words[i]; });
        if (part == parts.end()) return quoted(words[i]) + " is none of own, sibling, remote, hop";
        if (Problem problem = cycles(words[i + 1], part->value); !problem.empty()) return problem;
    }
    if (std::find(words.begin() + 1, words.end(), "own") == words.end()) return "own is missing; add it: own 138";
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

template <auto kField, std::uint64_t kLeast, std::uint64_t kMost> Problem number(const Words& words, Description& to) {
    std::uint64_t value = 0;
    if (words.size() != 2) return "write one number behind it";
    if (Problem problem = whole(words[1], kLeast, kMost, value); !problem.empty()) return problem;
    to.*kField = static_cast<std::remove_reference_t<decltype(to.*kField)>>(value);
    return {};
}
template <auto kField> Problem time(const Words& words, Description& to) {
    return words.size() == 2 ? cycles(words[1], to.*kField) : "write one number of cycles behind it";
}
template <auto kField> Problem latencies(const Words& words, Description& to) { return latency(words, to.*kField); }

// It stands in messages and in JSON as it is.
Problem name(const Words& words, Description& to) {
    if (words.size() != 2) return "write one word behind it";
    to.name = words[1];
    const bool plain = std::all_of(to.name.begin(), to.name.end(),
                                   [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; });
    return plain ? Problem() : "write printable ASCII characters alone, without \" and \\";
}

struct Key {
    std::string_view name;
    Problem (*read)(const Words&, Description&);
    bool needed = true;
    bool repeated = false;
};

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

using D = Description;
constexpr Key kKeys[] = {
    {"name", name},
    {"clock_mhz", number<&D::clock_mhz, 1, 100'000>},
    {"nodes", number<&D::nodes, 1, kMostNodes>},
    {"cores_per_node", number<&D::cores_per_node, 1, kMostCores>},
    {"nodes_per_package", number<&D::nodes_per_package, 1, kMostNodes>, false},
    {"spare", [](const Words& words, Description& to) { return numbers(words, kMostNodes - 1, to.spare); }, false},
    {"mesh", mesh, false},
    {"links", links, false, true},
    {"distance", row_of_distances, false, true},
    {"line_bytes", number<&D::line_bytes, 8, 4096>, false},
    {"unit_bytes", number<&D::unit_bytes, 8, 1 << 21>, false},
    {"standard", standard, false},
    {"cache_bytes", number<&D::cache_bytes, 0, kGiB>, false},
    {"private_bytes", number<&D::private_bytes, 0, kGiB>, false},
    {"cache_cycles", time<&D::cache_per_line>, false},
    {"outstanding", number<&D::outstanding, 1, 1024>},
    {"memory_cycles", latencies<&D::memory>},
    {"load_cycles", latencies<&D::load>},
    {"atomic_cycles", latencies<&D::atomic>},
    {"cached_cycles", time<&D::cached>, false},
    {"cached_atomic_cycles", time<&D::cached_atomic>, false},
    {"controller_cycles", time<&D::controller_per_line>},
    {"operation_cycles", time<&D::operation>},
    {"creation_cycles", time<&D::creation>},
    {"wake_cycles", time<&D::wake>},
    {"sleep_cycles", time<&D::sleep>},
    {"spin_cycles", time<&D::spin>},
    {"work_clock_mhz", number<&D::work_clock_mhz, 1, 100'000>, false},
};

std::string all_keys() {
    std::string list;
    for (const Key& key : kKeys)
        list += (list.empty() ? "" : ", ") + std::string(key.name);
    return list;
}

// On which lines of the file things stand.
struct Lines {
    std::array<unsigned, std::size(kKeys)> keys = {}; // the last one with this key; 0: none
    std::vector<unsigned> links;                      // of each link

    unsigned of(std::string_view name) const {
        const Key* const key =
            std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return k.name == name; });
        return keys[static_cast<std::size_t>(key - kKeys)];
    }
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

// All nodes are reached from node 0.
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

// A way between packages costs something.
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
        if (Fault fault = judge(d, lines); !fault.problem.empty()) return fault;
    return {};
}

} // namespace

Parsed parse_description(std::string_view text, const std::string& file) {
    Description found;
    Lines lines;
    unsigned number = 0;
    const auto fail = [&](const Problem& problem) {
        return Parsed{{}, file + ":" + std::to_string(std::max(number, 1u)) + ": " + problem};
    };
    while (!text.empty()) {
        ++number;
        const auto end = std::min(text.find('\n'), text.size());
        const Words words = split(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (words.empty()) continue;
        const Key* const key =
            std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return k.name == words[0]; });
        if (key == std::end(kKeys)) return fail(quoted(words[0]) + " is not known here; known are " + all_keys());
        unsigned& seen = lines.keys[static_cast<std::size_t>(key - kKeys)];
        if (seen != 0 && !key->repeated)
            return fail(std::string(key->name) + " stands on line " + std::to_string(seen) + " already; remove one");
        seen = number;
        if (const Problem problem = key->read(words, found); !problem.empty())
            return fail(std::string(key->name) + ": " + problem);
        lines.links.resize(found.links.size(), number);
    }
    for (std::size_t i = 0; i < std::size(kKeys); ++i)
        if (kKeys[i].needed && lines.keys[i] == 0)
            return fail(std::string(kKeys[i].name) + " is missing; add a line with it");
    if (const Fault fault = check(found, lines); !fault.problem.empty()) {
        number = fault.line;
        return fail("the machine: " + fault.problem);
    }
    return {std::move(found), {}};
}

Parsed read_description(const std::string& path) {
    std::ifstream file(path);
    if (!file) return {{}, path + ": cannot be read; name a file as docs/formats/machine.md tells"};
    std::string text(kMostBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return {{}, path + ": cannot be read as a file; a directory is none"};
    if (text.size() > kMostBytes) return {{}, path + ": has more than 1 MB, and describes no machine"};
    return parse_description(text, path);
}

} // namespace teff::machine
