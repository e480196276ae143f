// SPDX-License-Identifier: Apache-2.0
#include "machines/timelines.h"

#include <gtest/gtest.h>
#include <set>

#include "probe/trace/trace_reading.h"

namespace teff::machine {
namespace {

TEST(TimeLines, AreThoseOfTheThesis) {
    std::set<std::string> names;
    for (const TimeLine& line : time_lines())
        names.insert(line.name);
    EXPECT_EQ(names.size(), time_lines().size());
    for (const char* const name : {"3.8-map-WS-coarse", "3.8-matmul-LA-coarse", "3.10-map-LA-coarse-vicinity-1",
                                   "3.10-vecmul-WS-fine", "3.11-vecmul-LA-coarse-vicinity-63"})
        EXPECT_TRUE(names.contains(name)) << name;
}

// The purpose of the figures: with the advised distribution and LA, every task waits for a shorter
// time than the longest wait with WS.
TEST(TimeLines, ShowShorterWaitsWithTheAdvisedPolicy) {
    const probe::trace::ScratchFolder scratch;
    const auto longest = [&](const char* name) {
        for (const TimeLine& line : time_lines())
            if (line.name == name) {
                const std::string file = line.on_tiles ? "tilepro64" : "opteron-performance";
                const Description machine = *read_description(TEFF_MACHINES + file + ".machine").description;
                const Recorded made = record(line, machine, scratch.file(name));
                EXPECT_EQ(made.trouble, "");
                EXPECT_GT(made.end_ns, made.stall_ns);
                return made.stall_ns;
            }
        return std::uint64_t{0};
    };
    EXPECT_LT(2 * longest("3.8-matmul-LA-coarse"), longest("3.8-matmul-WS-coarse"));
    EXPECT_LT(5 * longest("3.10-map-LA-coarse-vicinity-1"), longest("3.10-map-WS-fine"));
    EXPECT_LT(longest("3.11-map-LA-coarse-vicinity-1"), longest("3.11-map-LA-coarse-vicinity-63"));
}

} // namespace
} // namespace teff::machine
