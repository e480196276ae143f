// SPDX-License-Identifier: Apache-2.0
#include "topo/processor_set.h"

#include <gtest/gtest.h>
#include <vector>

namespace teff::topo {
namespace {

std::vector<unsigned> members(const ProcessorSet& set) {
    std::vector<unsigned> result;
    for (unsigned at = set.next(0); at < ProcessorSet::kCapacity; at = set.next(at + 1))
        result.push_back(at);
    return result;
}

TEST(ProcessorSet, IteratesInOrderAcrossWords) {
    ProcessorSet set;
    EXPECT_TRUE(set.empty());
    EXPECT_EQ(set.next(0), ProcessorSet::kCapacity);
    for (const unsigned processor : {8191u, 0u, 63u, 64u, 200u})
        set.add(processor);
    EXPECT_EQ(members(set), (std::vector<unsigned>{0, 63, 64, 200, 8191}));
    EXPECT_EQ(set.count(), 5u);
    set.remove(63);
    EXPECT_FALSE(set.has(63));
    EXPECT_FALSE(set.has(ProcessorSet::kCapacity));
    EXPECT_EQ(set.next(8192), ProcessorSet::kCapacity);
}

TEST(ProcessorList, ReadsNumbersAndRanges) {
    EXPECT_EQ(members(*parse_processor_list("0-3,8,10-11")), (std::vector<unsigned>{0, 1, 2, 3, 8, 10, 11}));
    EXPECT_EQ(members(*parse_processor_list("8191")), (std::vector<unsigned>{8191}));
    EXPECT_TRUE(parse_processor_list("")->empty());
}

TEST(ProcessorList, RefusesWhatTheKernelDoesNotWrite) {
    for (const char* text :
         {"-", "1-", "3-1", "1,", ",1", "x", "1 2", "8192", "0-8192", "99999999999999999999", "1-2-3"})
        EXPECT_FALSE(parse_processor_list(text)) << text;
}

} // namespace
} // namespace teff::topo
