// SPDX-License-Identifier: Apache-2.0
//
// Tests the chip's memory: each latency is compared with the one measured on the real chip at its
// default clocks; and cores see each other's writes when they should.
#include "machines/scc/chip.h"

#include <gtest/gtest.h>
#include <utility>

#include "machines/scc/atomics.h"
#include "machines/scc/shipped_costs.h"

namespace teff::machine::scc {
namespace {

constexpr Time kLimit = 1'000'000 * kCycle;
using Parts = std::vector<std::pair<unsigned, std::function<void(Chip&)>>>; // of cores

class SccChip : public testing::Test {
  protected:
    bool run(Chip& chip, const Parts& parts) {
        std::vector<std::function<void()>> all(costs_.cores());
        for (const auto& [core, work] : parts)
            all[core] = [&chip, part = work] { part(chip); };
        return chip.run(all, kLimit);
    }
    bool run(const Parts& parts) { return run(chip_, parts); }
    // Returns the cycles that the action takes the core, alone on a chip with all words at `where`.
    double cycles(unsigned core, Place where, const std::function<void(Chip&)>& part) {
        Chip chip(costs_);
        EXPECT_TRUE(chip.place(words_, sizeof words_, where));
        Time took = 0;
        EXPECT_TRUE(run(chip, {{core, [&](Chip& on) {
                                    const Time begin = on.now();
                                    part(on);
                                    took = on.now() - begin;
                                }}}));
        return static_cast<double>(took) / kCycle;
    }
    void place(Place where) { ASSERT_TRUE(chip_.place(words_, sizeof words_, where)); }
    const void* word(unsigned index) const { return &words_[index]; }
    static unsigned core_at(unsigned x, unsigned y) { return 12 * y + 2 * x; }

    Costs costs_ = shipped();
    Chip chip_{costs_};
    alignas(64) std::uint32_t words_[32] = {};
};

// ---- Latencies.

struct Measured {
    unsigned core; // 0, or that many hops away
    double cycles;
};

struct Case {
    const char* name;
    Store store;
    bool cached, write;
    unsigned repeated; // of the words of a line
    std::vector<Measured> measured;
    double tolerance;
};

// Hops from tile (0, 0): (1, 0) is one, (5, 3) are eight. A core at x, y is 12 y + 2 x.
const Case kCases[] = {
    {"MpbRead", Store::mpb, false, false, 1, {{1, 20}, {2, 63}, {46, 102}}, 1.5},
    {"MpbLineWrite", Store::mpb, true, true, 1, {{1, 39}, {2, 84}, {46, 119}}, 3.5},
    // The values are for cores at 0, 2, 5 and 7 hops from the controller of the first core.
    {"MemoryRead", Store::memory, false, false, 1, {{0, 97}, {4, 105}, {10, 121}, {34, 134}}, 2},
    {"MemoryLineWriteByWords", Store::memory, false, true, 8, {{0, 779}, {34, 1069}}, 20},
    {"MemoryLineWriteByTheBuffer", Store::memory, true, true, 8, {{0, 122}, {34, 158}}, 3},
};

class SccLatency : public testing::TestWithParam<Case> {};

// The measured core is not core 0, which owns the words.
TEST_P(SccLatency, IsAsMeasuredOnTheChip) {
    const Case& c = GetParam();
    for (const Measured& measured : c.measured) {
        Chip chip(shipped());
        alignas(64) std::uint32_t words[8] = {};
        ASSERT_TRUE(chip.place(words, sizeof words, {c.store, 0, c.cached}));
        Time took = 0;
        std::vector<std::function<void()>> parts(chip.costs().cores());
        parts[measured.core] = [&] {
            const Time begin = chip.now();
            for (unsigned i = 0; i < c.repeated; ++i) {
                if (c.write) chip.write(&words[i], 1);
                else static_cast<void>(chip.read(&words[i], false));
            }
            if (c.write) {
                chip.push_out();
                chip.await_write();
            }
            took = chip.now() - begin;
        };
        ASSERT_TRUE(chip.run(parts, kLimit));
        // Each write of a word into the buffer, and the dummy write, takes a cycle.
        EXPECT_NEAR(static_cast<double>(took) / kCycle, measured.cycles,
                    c.tolerance + (c.write && c.cached ? c.repeated : 0))
            << "core " << measured.core;
    }
}
INSTANTIATE_TEST_SUITE_P(Accesses, SccLatency, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

TEST_F(SccChip, RegistersTakeWhatARemoteReadTakes) {
    const Place table{Store::lut, 0, false};
    EXPECT_NEAR(cycles(1, table, [&](Chip& chip) { static_cast<void>(chip.read(word(0), true)); }), 56.6, 0.1);
    EXPECT_NEAR(cycles(46, table, [](Chip& chip) { static_cast<void>(chip.take(0)); }), 56.6 + 8 * 5.54, 0.5);
}

TEST_F(SccChip, ControllersAreWhereTheChipHasThem) {
    EXPECT_EQ(chip_.hops_to_memory(0, 0), 0u);                         // (0, 0)
    EXPECT_EQ(chip_.hops_to_memory(core_at(0, 0), core_at(5, 3)), 7u); // (5, 2)
    EXPECT_EQ(chip_.hops_to_memory(core_at(0, 3), core_at(0, 3)), 1u); // (0, 2)
    EXPECT_EQ(chip_.hops_to_memory(core_at(3, 1), core_at(3, 1)), 3u); // (5, 0)
}

TEST_F(SccChip, ClocksScaleTheirPartOfALatency) {
    Costs fast = shipped();
    fast.tile_mhz *= 2; // the mesh is as fast as it was: twice as many cycles of the tile
    EXPECT_NEAR(static_cast<double>(fast.latency(fast.mpb_read, false, 8)) / kCycle, 56.6 + 16 * 5.54, 0.2);
    EXPECT_EQ(fast.latency(fast.mpb_read, true, 0), costs_.latency(costs_.mpb_read, true, 0));
    EXPECT_NEAR(static_cast<double>(fast.latency(fast.dram_read, false, 0)) / kCycle, 65 + 2 * 30.65, 0.2);
    EXPECT_NEAR(fast.microseconds(1066 * kCycle), 1, 1e-9);
}

// ---- What is seen.

TEST_F(SccChip, ACopyStaysUntilItIsInvalidated) {
    place({Store::mpb, 0, true});
    std::vector<std::uint32_t> seen;
    EXPECT_TRUE(run({{0,
                      [&](Chip& chip) {
                          seen.push_back(chip.read(word(0), true));
                          chip.pass(10'000 * kCycle);
                          seen.push_back(chip.read(word(0), false));
                          seen.push_back(chip.read(word(0), true));
                      }},
                     {2, [&](Chip& chip) {
                          chip.pass(1000 * kCycle);
                          chip.write(word(0), 5);
                          chip.push_out();
                      }}}));
    EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 0, 5}));
}

TEST_F(SccChip, AWriteStaysInTheBufferUntilALineComesBehindIt) {
    place({Store::mpb, 0, true});
    std::vector<std::uint32_t> seen;
    EXPECT_TRUE(run({{0,
                      [&](Chip& chip) {
                          for (unsigned i = 0; i < 3; ++i) {
                              chip.pass(1000 * kCycle);
                              seen.push_back(chip.read(word(0), true));
                          }
                      }},
                     {2, [&](Chip& chip) {
                          chip.write(word(0), 5);
                          chip.write(word(1), 6); // of the same line
                          chip.pass(1500 * kCycle);
                          chip.write(word(8), 7); // of the next
                      }}}));
    EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 5, 5}));
}

TEST_F(SccChip, WritersOfOneLineKeepEachOthersWords) {
    place({Store::mpb, 0, true});
    std::uint32_t seen[2] = {};
    const auto writer = [&](unsigned index) {
        return [&, index](Chip& chip) {
            static_cast<void>(chip.read(word(index), true));
            chip.write(word(index), index + 1);
            chip.push_out();
        };
    };
    EXPECT_TRUE(run({{2, writer(0)}, {4, writer(1)}, {0, [&](Chip& chip) {
                                                          chip.pass(1000 * kCycle);
                                                          seen[0] = chip.read(word(0), true);
                                                          seen[1] = chip.read(word(1), false);
                                                      }}}));
    EXPECT_EQ(seen[0], 1u);
    EXPECT_EQ(seen[1], 2u);
}

TEST_F(SccChip, ACoreReadsItsOwnWrites) {
    place({Store::mpb, 0, true});
    EXPECT_TRUE(run({{2, [&](Chip& chip) {
                          chip.write(word(0), 5);
                          EXPECT_EQ(chip.read(word(0), false), 5u);
                          chip.write(word(0), 6); // the cache has the line now
                          EXPECT_EQ(chip.read(word(0), false), 6u);
                          EXPECT_EQ(chip.read(word(0), true), 6u);
                      }}}));
}

TEST_F(SccChip, UncachedWordsAreSeenAtOnce) {
    for (const Store store : {Store::mpb, Store::lut, Store::memory}) {
        Chip chip(costs_);
        alignas(64) std::uint32_t one = 0;
        ASSERT_TRUE(chip.place(&one, sizeof one, {store, 0, false}));
        std::vector<std::function<void()>> parts(costs_.cores());
        std::uint32_t seen = 0;
        parts[2] = [&] { chip.write(&one, 5); };
        parts[0] = [&] {
            EXPECT_EQ(chip.read(&one, false), 0u);
            chip.pass(1000 * kCycle);
            seen = chip.read(&one, false);
        };
        EXPECT_TRUE(chip.run(parts, kLimit));
        EXPECT_EQ(seen, 5u);
    }
}

// ---- What waits for what.

TEST_F(SccChip, AWriteDoesNotHoldTheCoreButItsNextAccess) {
    const Place far{Store::mpb, 46, false};
    const double read = cycles(0, far, [&](Chip& chip) { static_cast<void>(chip.read(word(0), false)); });
    EXPECT_EQ(cycles(0, far, [&](Chip& chip) { chip.write(word(0), 1); }), 1);
    EXPECT_NEAR(cycles(0, far,
                       [&](Chip& chip) {
                           chip.write(word(0), 1);
                           static_cast<void>(chip.read(word(1), false));
                       }),
                2 * read, 1);
}

TEST_F(SccChip, ABufferServesOneAfterTheOther) {
    place({Store::mpb, 0, false});
    std::vector<double> took;
    const auto reader = [&](Chip& chip) {
        static_cast<void>(chip.read(word(0), false));
        took.push_back(static_cast<double>(chip.now()) / kCycle);
    };
    const Parts parts = {{2, reader}, {3, reader}}; // of one tile, at the same moment
    EXPECT_TRUE(run(parts));
    ASSERT_EQ(took.size(), 2u);
    const double service = static_cast<double>(costs_.mpb_service.remote) / kCycle;
    EXPECT_NEAR(took[1] - took[0], service, 0.01);
}

TEST_F(SccChip, ATestAndSetRegisterIsHadByOne) {
    unsigned inside = 0, most = 0, had = 0;
    Parts parts;
    for (unsigned i = 0; i < 48; ++i)
        parts.push_back({i, [&](Chip& chip) {
                             TestAndSet guard(7);
                             for (unsigned round = 0; round < 3; ++round) {
                                 guard.take();
                                 most = std::max(most, ++inside);
                                 chip.pass(100 * kCycle);
                                 static_cast<void>(chip.read(word(0), true)); // others have a turn
                                 --inside;
                                 ++had;
                                 guard.give_back();
                             }
                         }});
    place({Store::mpb, 0, false});
    EXPECT_TRUE(run(parts));
    EXPECT_EQ(most, 1u);
    EXPECT_EQ(had, 48u * 3);
}

TEST_F(SccChip, CountersUnderARegisterLoseNothing) {
    atomic<std::uint32_t> counter[16];
    ASSERT_TRUE(chip_.place(counter, sizeof counter, {Store::mpb, 5, true}));
    Parts parts;
    for (unsigned i = 0; i < 48; ++i)
        parts.push_back({i, [&](Chip&) {
                             for (unsigned round = 0; round < 5; ++round)
                                 counter[0].fetch_add(1);
                         }});
    std::uint32_t last = 0;
    parts[3].second = [&](Chip& chip) {
        for (unsigned round = 0; round < 5; ++round)
            counter[0].fetch_add(1);
        while ((last = counter[0].load()) != 48 * 5)
            chip.relax();
    };
    EXPECT_TRUE(run(parts));
    EXPECT_EQ(last, 48u * 5);
}

// ---- Bounds.

TEST_F(SccChip, ABufferHasRoomForEightKilobytesLessTheDummy) {
    const std::vector<char> bytes(Chip::kMpbBytes);
    EXPECT_FALSE(chip_.place(bytes.data(), Chip::kMpbBytes, {Store::mpb, 3}));
    EXPECT_TRUE(chip_.place(bytes.data(), Chip::kMpbBytes - Chip::kLineBytes, {Store::mpb, 3}));
    EXPECT_FALSE(chip_.place(bytes.data(), 1, {Store::mpb, 3}));
    EXPECT_TRUE(chip_.place(bytes.data(), 1, {Store::mpb, 4}));
}

TEST_F(SccChip, ARunThatDoesNotEndIsStopped) {
    place({Store::mpb, 0, true});
    EXPECT_FALSE(run({{0, [&](Chip& chip) {
                           while (chip.read(word(0), true) == 0)
                               chip.relax();
                       }}}));
}

using SccChipDeathTest = SccChip;

TEST_F(SccChipDeathTest, WordsThatNobodyPlacedAreFound) {
    EXPECT_DEATH(static_cast<void>(run({{0, [&](Chip& chip) { static_cast<void>(chip.read(word(0), true)); }}})),
                 "was not placed on the chip; call place\\(\\) before the run");
}

TEST_F(SccChipDeathTest, ALutEntryHas22Bits) {
    place({Store::lut, 0});
    EXPECT_DEATH(static_cast<void>(run({{0, [&](Chip& chip) { chip.write(word(0), 1u << 22); }}})), "has 22 bits");
}

} // namespace
} // namespace teff::machine::scc
