// SPDX-License-Identifier: Apache-2.0
#include "processes/page_index.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

#include "processes/layout.h"

namespace teff::processes {
namespace {

using Numbers = std::vector<std::uint64_t>;

std::uint64_t page(std::uint64_t number) { return 0x2000'0000'0000 + number * kPage; }

Numbers numbers(const PageIndex& index, std::uint64_t of, std::uint64_t first) {
    Numbers found;
    index.for_records(of, first, [&](std::uint64_t number, std::size_t) { found.push_back(number); });
    return found;
}

TEST(PageIndexTest, KnowsNothingAtFirst) { EXPECT_TRUE(numbers(PageIndex(), page(1), 0).empty()); }

TEST(PageIndexTest, GivesThePagesRecordsNewestFirst) {
    PageIndex index;
    index.add(page(1), 5, 0);
    index.add(page(2), 5, 64);
    index.add(page(1), 7, 8);
    EXPECT_EQ(numbers(index, page(1), 0), (Numbers{7, 5}));
    EXPECT_EQ(numbers(index, page(1), 6), (Numbers{7}));
    EXPECT_EQ(numbers(index, page(2), 0), (Numbers{5}));
    EXPECT_TRUE(numbers(index, page(3), 0).empty());
}

TEST(PageIndexTest, ForgetsWhatHasLeftTheLog) {
    PageIndex index;
    index.add(page(1), 1, 0);
    index.add(page(1), 2, 0);
    index.forget_before(2);
    EXPECT_EQ(numbers(index, page(1), 0), (Numbers{2}));
}

// The page has few records and the log has many. The search looks only at the records of the page.
TEST(PageIndexTest, TheSearchDoesNotGrowWithTheLog) {
    PageIndex index;
    for (std::uint64_t number = 0; number < 100'000; ++number)
        index.add(page(number % 5000), number, 0);
    unsigned visits = 0;
    index.for_records(page(17), 100'000 - 10'000, [&](std::uint64_t, std::size_t) { ++visits; });
    EXPECT_EQ(visits, 2u);
}

TEST(PageIndexTest, LinksGoWithTheLog) {
    PageIndex index;
    for (std::uint64_t number = 0; number < 100'000; ++number) {
        index.add(page(number), number, 0);
        index.forget_before(number);
        ASSERT_LT(index.links(), 1000u);
    }
}

TEST(PageIndexTest, AgreesWithAPlainList) {
    std::mt19937 random(3);
    PageIndex index;
    std::map<std::uint64_t, Numbers> plain;
    std::uint64_t first = 0;
    for (std::uint64_t number = 0; number < 30'000; ++number) {
        for (unsigned i = 0; i < 3; ++i) {
            const std::uint64_t one = page(random() % 3000);
            if (!plain[one].empty() && plain[one].back() == number) continue;
            index.add(one, number, i);
            plain[one].push_back(number);
        }
        if (random() % 50 == 0 && number > first + 100) {
            first = number - random() % 100;
            index.forget_before(first);
        }
        const std::uint64_t asked = page(random() % 3000);
        Numbers expected;
        for (auto at = plain[asked].rbegin(); at != plain[asked].rend() && *at >= first; ++at)
            expected.push_back(*at);
        ASSERT_EQ(numbers(index, asked, 0), expected);
    }
}

} // namespace
} // namespace teff::processes
