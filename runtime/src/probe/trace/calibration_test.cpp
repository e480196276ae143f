// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/calibration.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

class CalibrationTest : public testing::Test {
  protected:
    CalibrationTest() {
        note_surroundings();
        const Guest guest;
        costs_.measure(guest, target_);
    }
    const RecordCost& of(const std::string& name) const {
        for (const RecordCost& cost : costs_)
            if (cost.name == name) return cost;
        ADD_FAILURE() << "no cost of " << name;
        return *costs_.begin();
    }

    Folder target_{0};
    RecordCosts costs_{};
};

TEST_F(CalibrationTest, EveryTypeStandsThereOnce) {
    std::set<std::string> names;
    for (const RecordCost& cost : costs_)
        EXPECT_TRUE(names.insert(cost.name).second) << cost.name << " stands there twice";
}

// A processor may write a record while it still works: then one measurement may find no cost. Of
// several, one finds it.
TEST_F(CalibrationTest, EveryTypeThatEndsAGrainHasACost) {
    constexpr int kTimes = 30;
    const Guest guest;
    std::map<std::string, Ticks> most;
    for (int i = 0; i < kTimes; ++i, costs_.measure(guest, target_))
        for (const RecordCost& cost : costs_)
            most[cost.name] = std::max(most[cost.name], cost.after + cost.within);
    // Without a reading of the clock a record costs less than its quantum on some machines: "dep".
    for (const char* name : {"create", "run", "wait", "chunk", "lock", "doacross"})
        EXPECT_GT(most[name], 0u) << name;
}

TEST_F(CalibrationTest, OnlyWhatStatesAnIntervalHasACostWithin) {
    // The look-up of its site, and the record.
    EXPECT_GT(of("create").within, 0u);
    for (const char* name : {"dep", "priority", "group_begin", "fulfil", "doacross"})
        EXPECT_EQ(of(name).within, 0u) << name;
}

// A millisecond for one record: then something else has been measured.
TEST_F(CalibrationTest, ItIsTheCostOfARecord) {
    constexpr Ticks kFar = 1'000'000;
    for (const RecordCost& cost : costs_)
        EXPECT_LT(cost.after + cost.within, kFar) << cost.name;
}

TEST_F(CalibrationTest, ItGivesItsMemoryBack) {
    const auto mappings = [] {
        const std::string maps = contents("/proc/self/maps");
        return std::count(maps.begin(), maps.end(), '\n');
    };
    const Guest guest;
    RecordCosts again{};
    constexpr int kTimes = 50; // a sanitizer's allocator maps some memory meanwhile
    const auto before = mappings();
    for (int i = 0; i < kTimes; ++i)
        again.measure(guest, target_);
    EXPECT_LT(mappings(), before + kTimes);
}

} // namespace
} // namespace teff::probe::trace
