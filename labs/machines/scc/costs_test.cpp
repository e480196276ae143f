// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/costs.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace teff::machine::scc {
namespace {

std::string shipped() {
    std::ifstream file(TEFF_CHIP);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The shipped file with one line changed.
std::string with(const std::string& key, const std::string& line) {
    std::istringstream text(shipped());
    std::string all;
    for (std::string each; std::getline(text, each);)
        all += (each.starts_with(key + " ") ? line : each) + "\n";
    return all;
}

std::string error_of(const std::string& text) { return parse_costs(text, "f").error; }
std::string error_with(const std::string& key, const std::string& line) {
    const std::string error = error_of(with(key, line));
    return error.substr(0, 2) + error.substr(std::min(error.size(), error.find(": "))); // without the line's number
}

TEST(SccCosts, TheShippedFileIsTheChip) {
    const ParsedCosts parsed = parse_costs(shipped(), "f");
    ASSERT_TRUE(parsed.costs) << parsed.error;
    const Costs& costs = *parsed.costs;
    EXPECT_EQ(costs.cores(), 48u);
    EXPECT_EQ(costs.tile_mhz, 533u);
    EXPECT_EQ(costs.mesh_mhz, 800u);
    EXPECT_EQ(costs.dram_mhz, 800u);
    EXPECT_EQ(costs.mpb_read.own, 20 * kCycle);
    EXPECT_EQ(costs.mpb_read.remote, 56'600u);
    EXPECT_EQ(costs.dram_service.dram, 8 * kCycle);
}

TEST(SccCosts, AMistakeIsToldWithFileAndLineAndWhatToDo) {
    EXPECT_EQ(error_of(""), "f:1: name is missing; add a line with it");
    EXPECT_EQ(error_of("name scc\nname scc\n"), "f:2: name stands on line 1 already; remove one");
    EXPECT_TRUE(error_of("\nlatency 3\n").starts_with("f:2: 'latency' is not known here; known are name, tile_mhz"));
    EXPECT_EQ(error_of("mesh 6\n"), "f:1: mesh: write columns and rows: mesh 6 4");
    EXPECT_EQ(error_of("mesh 9 9\n"), "f:1: mesh: has more than 64 tiles; model fewer");
    EXPECT_EQ(error_of("tile_mhz fast\n"), "f:1: tile_mhz: 'fast' is no whole number from 1 to 10000");
    EXPECT_EQ(error_of("mpb_read_cycles own 20\n"), "f:1: mpb_read_cycles: remote is missing; add it: remote 56.6");
    EXPECT_EQ(error_of("mpb_read_cycles near 20\n"), "f:1: mpb_read_cycles: 'near' is none of own, remote, hop");
    EXPECT_EQ(error_of("dram_read_cycles own 20\n"), "f:1: dram_read_cycles: 'own' is none of remote, hop, dram");
    EXPECT_EQ(error_of("mpb_service_cycles own 2 hop 3\n"), "f:1: mpb_service_cycles: 'hop' is none of own, remote");
    EXPECT_EQ(error_of("poll_cycles -1\n"), "f:1: poll_cycles: '-1' is no number of cycles from 0 to 1e9");
    EXPECT_EQ(error_with("poll_cycles", "poll_cycles 0"), "f:: poll_cycles: a look takes time; write more than 0");
    EXPECT_EQ(error_with("hit_cycles", "hit_cycles 0"), "f:: hit_cycles: a look takes time; write more than 0");
}

TEST(SccCosts, AFileThatIsNoneIsTold) {
    EXPECT_EQ(read_costs("/nowhere/scc.chip").error,
              "/nowhere/scc.chip: cannot be read; name a file as docs/formats/machine.md tells");
    EXPECT_EQ(read_costs("/").error, "/: cannot be read as a file; a directory is none");
}

// Each cost that may be varied is one of the file, and is scaled.
TEST(SccCosts, EachIsScaled) {
    for (const Cost& cost : all_costs()) {
        EXPECT_NE(shipped().find("\n" + std::string(cost.name) + "_cycles"), std::string::npos) << cost.name;
        Costs costs = *parse_costs(shipped(), "f").costs, doubled = costs;
        cost.scale(doubled, 2);
        EXPECT_NE(0, std::memcmp(&costs.mpb_read, &doubled.mpb_read,
                                 reinterpret_cast<char*>(&costs + 1) - reinterpret_cast<char*>(&costs.mpb_read)))
            << cost.name;
    }
}

} // namespace
} // namespace teff::machine::scc
