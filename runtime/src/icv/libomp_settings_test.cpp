// SPDX-License-Identifier: Apache-2.0
#include "icv/libomp_settings.h"

#include <gtest/gtest.h>

namespace teff::icv::libomp {
namespace {

void expect(std::string_view text, ProcBind bind, std::string_view places, std::string_view processors = {}) {
    const auto read = affinity(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(read->bind, bind) << text;
    EXPECT_EQ(read->places, places) << text;
    EXPECT_EQ(read->processors, processors) << text;
}

TEST(LibompSettings, AnAffinityIsABindingAndPlaces) {
    expect("none", ProcBind::false_, "");
    expect("disabled", ProcBind::false_, "");
    expect("compact", ProcBind::close, "cores");
    expect(" Scatter ", ProcBind::spread, "cores");
    expect("balanced", ProcBind::spread, "cores");
    expect("granularity=fine,compact", ProcBind::close, "threads");
    expect("granularity=fine,compact,0", ProcBind::close, "threads");
    expect("granularity=fine,compact,1,0", ProcBind::close, "cores"); // PyTorch's advice
    expect("verbose,granularity=socket,scatter", ProcBind::spread, "sockets");
    expect("compact,granularity=numa_domain", ProcBind::close, "numa_domains");
    expect("explicit,proclist=[0,3,4-8:2]", ProcBind::true_, "", "0,3,4-8:2");
    expect("proclist=[1],norespect,explicit", ProcBind::true_, "", "1");
}

TEST(LibompSettings, ModifiersAloneAskForNothing) {
    for (const char* text : {"verbose", "granularity=fine", "noverbose,respect", "reset"}) {
        const auto read = affinity(text);
        ASSERT_TRUE(read.has_value()) << text;
        EXPECT_FALSE(read->has_type) << text;
    }
    EXPECT_TRUE(affinity("verbose,none")->has_type);
}

TEST(LibompSettings, OnlyDisabledDisables) {
    EXPECT_TRUE(affinity("disabled")->is_disabled);
    EXPECT_FALSE(affinity("none")->is_disabled);
}

TEST(LibompSettings, AnAffinityWithAnythingElseIsNotValid) {
    for (const char* text : {"", "compakt", "compact,scatter", "granularity=,compact", "1,compact", "compact,1,2,3",
                             "compact,x", "explicit", "explicit,proclist=[]", "compact,proclist=[1]",
                             "explicit,proclist=[{0,1},{2}]", "explicit,proclist=1", "compact,-1"})
        EXPECT_FALSE(affinity(text).has_value()) << text;
}

TEST(LibompSettings, ABlocktimeIsInMillisecondsUnlessItSaysOtherwise) {
    EXPECT_EQ(blocktime_us("1"), 1000);
    EXPECT_EQ(blocktime_us(" 200ms "), 200'000);
    EXPECT_EQ(blocktime_us("50US"), 50);
    EXPECT_EQ(blocktime_us("0"), 0);
    EXPECT_EQ(blocktime_us("infinite"), INT64_MAX);
    for (const char* text : {"", "ms", "-1", "1s", "1.5", "99999999999999"})
        EXPECT_FALSE(blocktime_us(text).has_value()) << text;
}

TEST(LibompSettings, AStacksizeIsInBytesUnlessItSaysOtherwise) {
    EXPECT_EQ(stacksize("1048576", 16384, 1u << 30), 1048576u);
    EXPECT_EQ(stacksize("16m", 16384, 1u << 30), 16u << 20);
    EXPECT_EQ(stacksize("64K", 16384, 1u << 30), 64u << 10);
    for (const char* text : {"", "100", "16x", "9999999999"})
        EXPECT_FALSE(stacksize(text, 16384, 1u << 30).has_value()) << text;
}

} // namespace
} // namespace teff::icv::libomp
