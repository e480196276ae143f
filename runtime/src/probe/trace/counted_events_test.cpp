// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/counted_events.h"

#include <gtest/gtest.h>
#include <string>

namespace teff::probe::trace {
namespace {

TEST(CountedEventsTest, ParsesNamesAndNumbers) {
    const CountedEvents events = CountedEvents::parse("page-faults=1:2,r1a8=4:424,cycles=0:0");
    ASSERT_EQ(events.count, 3u);
    EXPECT_EQ(events.wanted[0].name(), "page-faults");
    EXPECT_EQ(events.wanted[0].type, 1u);
    EXPECT_EQ(events.wanted[0].config, 2u);
    EXPECT_EQ(events.wanted[1].name(), "r1a8");
    EXPECT_EQ(events.wanted[1].config, 424u);
    EXPECT_EQ(events.wanted[2].type, 0u);
}

TEST(CountedEventsTest, StopsAtWhatIsNoEvent) {
    for (const char* text : {"", ",", "=1:2", "a", "a=", "a=1", "a=1:", "a=:1", "a=1:2x", "a=x:2", "a=-1:2",
                             "a=1:99999999999999999999", "a=4294967296:1"})
        EXPECT_EQ(CountedEvents::parse(text).count, 0u) << text;
    EXPECT_EQ(CountedEvents::parse("a=1:2,b,c=1:3").count, 1u);
    EXPECT_EQ(CountedEvents::parse("a=1:2,").count, 1u);
}

TEST(CountedEventsTest, TakesSixEventsAndShortNames) {
    std::string many = "a=1:0";
    for (int i = 0; i < 10; ++i)
        many += ",a=1:0";
    EXPECT_EQ(CountedEvents::parse(many).count, CountedEvents::kMost);
    const std::string longest(CountedEvent::kLongestName, 'x');
    EXPECT_EQ(CountedEvents::parse(longest + "=1:2").count, 1u);
    EXPECT_EQ(CountedEvents::parse(longest + "x=1:2").count, 0u);
}

} // namespace
} // namespace teff::probe::trace
