// SPDX-License-Identifier: Apache-2.0
#include "machine/description.h"

#include <gtest/gtest.h>
#include <set>

#include "machine/topology.h"

namespace teff::machine {
namespace {

Description shipped(const std::string& name) {
    const Parsed parsed = read_description(TEFF_MACHINES + name + ".machine");
    EXPECT_TRUE(parsed.description) << parsed.error;
    return parsed.description.value_or(Description());
}

// A machine with all required keys; tests add lines, or change a line.
std::string minimal(const std::string& more = "", const std::string& left_out = "") {
    std::string text;
    for (const char* const line :
         {"name small", "clock_mhz 1000", "nodes 2", "cores_per_node 1", "outstanding 4",
          "memory_cycles own 100 hop 50", "load_cycles own 10 hop 5", "atomic_cycles own 20 remote 30",
          "controller_cycles 1.5", "operation_cycles 1", "creation_cycles 100", "wake_cycles 10", "sleep_cycles 10",
          "spin_cycles 10", "links 2 0-1"})
        if (left_out.empty() || !std::string_view(line).starts_with(left_out)) text += std::string(line) + "\n";
    return text + more;
}

std::string error_of(const std::string& text) { return parse_description(text, "f").error; }

TEST(MachineDescription, ReadsWhatTheFileSays) {
    const Parsed parsed = parse_description(minimal("# a comment\n\n  cache_bytes 4096 # another\n"), "f");
    ASSERT_TRUE(parsed.description) << parsed.error;
    const Description& d = *parsed.description;
    EXPECT_EQ(d.name, "small");
    EXPECT_EQ(d.nodes, 2u);
    EXPECT_EQ(d.memory.own, 100 * kCycle);
    EXPECT_EQ(d.controller_per_line, 1500u);
    EXPECT_EQ(d.cache_bytes, 4096u);
    ASSERT_EQ(d.links.size(), 1u);
    EXPECT_EQ(d.links[0].per_line, 2 * kCycle);
}

TEST(MachineDescription, AnErrorNamesFileAndLineAndWhatToDo) {
    EXPECT_EQ(error_of("name a b\n"), "f:1: name: write one word behind it");
    for (const char* const name : {"a\"b", "a\\b", "a\x01", "\xfc"})
        EXPECT_EQ(error_of("\nname " + std::string(name) + "\n"),
                  "f:2: name: write printable ASCII characters alone, without \" and \\");
    EXPECT_EQ(error_of("\nnodes 65\n"), "f:2: nodes: '65' is no whole number from 1 to 64");
    EXPECT_EQ(error_of("nodes 2\nnodes 2\n"), "f:2: nodes stands on line 1 already; remove one");
    EXPECT_EQ(error_of("wake_cycles soon\n"), "f:1: wake_cycles: 'soon' is no number of cycles from 0 to 1e9");
    EXPECT_EQ(error_of("memory_cycles own\n"),
              "f:1: memory_cycles: write pairs of a name and cycles: own 138 remote 166 hop 84");
    EXPECT_EQ(error_of("memory_cycles near 3\n"), "f:1: memory_cycles: 'near' is none of own, sibling, remote, hop");
    EXPECT_EQ(error_of("memory_cycles hop 3\n"), "f:1: memory_cycles: own is missing; add it: own 138");
    EXPECT_EQ(error_of("memory_cycles own 0\n"), "f:1: memory_cycles: own is 0; write more than that");
    EXPECT_EQ(error_of(""), "f:1: name is missing; add a line with it");
    EXPECT_EQ(error_of("links 3 0:1\n"), "f:1: links: '0:1' is no link; write two nodes as 0-1");
    EXPECT_TRUE(
        error_of("memory 5\n").starts_with("f:1: 'memory' is not known here; known are name, clock_mhz, nodes"));
}

TEST(MachineDescription, WhatDoesNotFitTogetherIsRefused) {
    EXPECT_EQ(error_of(minimal("", "spin_cycles")), "f:14: spin_cycles is missing; add a line with it");
    EXPECT_EQ(error_of(minimal("", "links")), "f:3: the machine: node 1 has no way to node 0; add a link, or a mesh");
    EXPECT_EQ(error_of(minimal("mesh 2 1 1\n")), "f:16: the machine: has both a mesh and links; leave one of them out");
    EXPECT_EQ(error_of(minimal("mesh 2 2 1\n", "links")),
              "f:15: the machine: the mesh has 4 places for 2 nodes; make them equal");
    EXPECT_EQ(error_of(minimal("links 1 1-2\nlinks 1 0-1\n# the end\n")),
              "f:16: the machine: there is no link 1-2 between 2 nodes, which count from 0; correct it");
    EXPECT_EQ(error_of(minimal("distance 10 20\n")),
              "f:16: the machine: the distances are no table of 2 by 2; write a line for each node, or none at all");
    EXPECT_EQ(error_of(minimal("load_cycles own 10\n\n", "load_cycles")),
              "f:15: the machine: load_cycles: other nodes cost nothing; add remote, or hop, or both");
    EXPECT_EQ(error_of(minimal("load_cycles own 10 sibling 12\nnodes_per_package 2\n", "load_cycles")), "");
    EXPECT_EQ(error_of(minimal("spare 0 1\n")), "f:16: the machine: all nodes are spare; leave some");
    EXPECT_EQ(error_of(minimal("nodes_per_package 4\n")),
              "f:16: the machine: the nodes do not fill the packages; correct nodes_per_package");
    EXPECT_EQ(error_of(minimal("cores_per_node 200\n", "cores")),
              "f:15: the machine: has more than 256 cores; model fewer");
}

TEST(MachineDescription, AFileThatIsNotThereIsNamed) {
    EXPECT_TRUE(read_description("/nowhere.machine").error.starts_with("/nowhere.machine: cannot be read"));
}

TEST(MachineDescription, NoTextBringsTheParserDown) {
    const std::string whole = minimal("distance 10 20\ndistance 20 10\n");
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(parse_description(whole.substr(0, length), "f").error.empty() && length < minimal().size() - 1);
    for (const char* const line :
         {"mesh", "mesh 0 0 0", "links", "links 1", "distance", "spare", "spare 99", "nodes", "nodes -1",
          "nodes 99999999999999999999", "cache_bytes x", "standard", "wake_cycles nan", "wake_cycles 1e10", "\1\2\3"})
        (void)parse_description(minimal(std::string(line) + "\n"), "f");
}

// ---- The files that are shipped.

class Opterons : public testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(Opterons, LinksAndDistancesSayTheSame) {
    const Description machine = shipped(GetParam().first);
    const Topology topology(machine);
    ASSERT_EQ(machine.nodes, 8u);
    for (unsigned from = 0; from < 8; ++from)
        for (unsigned to = 0; to < 8; ++to) {
            const unsigned hops = topology.hops(from, to);
            EXPECT_EQ(topology.distance(from, to), hops == 0 ? 10u : hops == 1 ? 16u : 22u) << from << " to " << to;
            EXPECT_EQ(topology.distance(from, to), topology.distance(to, from));
        }
}

TEST_P(Opterons, TheMeanNumberOfHopsIsThatOfTheWiring) {
    const Description machine = shipped(GetParam().first);
    EXPECT_DOUBLE_EQ(Topology(machine).mean_hops(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Wirings, Opterons,
                         testing::Values(std::pair("opteron-performance", 1.1875), std::pair("opteron-io", 1.25)));

TEST(ShippedMachines, TheOpteronsHaveTheMeanLatencyThatWasMeasured) {
    for (const auto& [name, mean] : {std::pair("opteron-performance", 261u), std::pair("opteron-io", 266u)}) {
        const Description machine = shipped(name);
        const Topology topology(machine);
        Time sum = 0;
        for (unsigned from = 0; from < 8; ++from)
            for (unsigned to = 0; to < 8; ++to)
                sum += topology.latency(machine.memory, from, to);
        EXPECT_EQ(sum / 64 / kCycle, mean) << name;
    }
    const Description machine = shipped("opteron-performance");
    const Topology topology(machine);
    EXPECT_EQ(topology.latency(machine.memory, 0, 0), 138 * kCycle);
    EXPECT_EQ(topology.latency(machine.memory, 0, 1), 240 * kCycle); // its sibling
    EXPECT_EQ(topology.latency(machine.memory, 0, 2), 250 * kCycle); // a hop
    EXPECT_EQ(topology.latency(machine.memory, 0, 3), 334 * kCycle); // two
}

TEST(ShippedMachines, OnTheTilesAWayGoesAlongTheRowFirst) {
    const Description machine = shipped("tilepro64");
    const Topology topology(machine);
    ASSERT_EQ(machine.nodes, 64u);
    EXPECT_EQ(topology.hops(0, 63), 14u);
    EXPECT_EQ(topology.latency(machine.memory, 0, 63), 66 * kCycle);
    EXPECT_EQ(topology.latency(machine.memory, 9, 9), 10 * kCycle);
    std::vector<unsigned> nodes;
    for (const unsigned link : topology.way(1, 19)) // column 1, row 0 to column 3, row 2
        nodes.push_back(topology.links()[link].to);
    EXPECT_EQ(nodes, (std::vector<unsigned>{2, 3, 11, 19}));
    EXPECT_DOUBLE_EQ(topology.mean_hops(), 5.25);
}

TEST(FilesOfMachines, AreOfModestSize) {
    EXPECT_NE(read_description("/dev/zero").error.find("/dev/zero: has more than 1 MB"), std::string::npos);
    EXPECT_NE(read_description("/").error.find("/: cannot be read as a file"), std::string::npos);
}

TEST(ShippedMachines, OthersAreWhatTheySay) {
    const Description server = shipped("server");
    EXPECT_EQ(server.nodes * server.cores_per_node, 64u);
    EXPECT_EQ(Topology(server).distance(0, 1), 21u);
    const Description small = shipped("two-cores");
    EXPECT_EQ(small.nodes * small.cores_per_node, 2u);
}

} // namespace
} // namespace teff::machine
