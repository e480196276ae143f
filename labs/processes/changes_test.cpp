// SPDX-License-Identifier: Apache-2.0
#include "processes/changes.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "processes/layout.h"

namespace teff::processes::changes {
namespace {

constexpr std::uint64_t kSomePage = 0x2000'0000'0000;

using Page = std::vector<std::byte>;

Page page_of(unsigned value) { return Page(kPage, static_cast<std::byte>(value)); }

// Returns the record that leads from the twin to the page.
std::vector<std::byte> record_of(const Page& mine, const Page& twin, std::size_t from = 0) {
    List<std::byte> list;
    append_differences(list, kSomePage, mine.data(), twin.data(), from);
    return {list.begin(), list.end()};
}

Page written(std::size_t offset, std::initializer_list<unsigned> values) {
    Page page = page_of(0);
    for (unsigned value : values)
        page[offset++] = static_cast<std::byte>(value);
    return page;
}

std::size_t conflict(const Page& earlier, const Page& later) {
    const Page twin = page_of(0);
    return first_conflict(record_of(earlier, twin).data(), record_of(later, twin).data());
}

TEST(ChangesTest, EqualPagesHaveNone) { EXPECT_TRUE(record_of(page_of(3), page_of(3)).empty()); }

TEST(ChangesTest, ARunHasTheBytesThatDifferAndNoOthers) {
    const Page twin = page_of(0), mine = written(10, {1, 2, 0, 4});
    const auto record = record_of(mine, twin);
    EXPECT_EQ(header(record.data()).page, kSomePage);
    EXPECT_EQ(header(record.data()).bytes, record.size());
    EXPECT_EQ(record.size() % 8, 0u);
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (Runs run(record.data()); !run.at_end(); run.next())
        runs.emplace_back(run.offset(), run.size());
    EXPECT_EQ(runs, (std::vector<std::pair<std::size_t, std::size_t>>{{10, 2}, {13, 1}}));
}

TEST(ChangesTest, APageThatIsAllNewIsOneRun) {
    const auto record = record_of(page_of(1), page_of(0));
    EXPECT_EQ(header(record.data()).runs, 1u);
    EXPECT_EQ(Runs(record.data()).size(), kPage);
}

TEST(ChangesTest, WhatLiesBeforeTheGivenOffsetIsLeftOut) {
    const auto record = record_of(page_of(1), page_of(0), 4000);
    EXPECT_EQ(Runs(record.data()).offset(), 4000u);
    EXPECT_EQ(Runs(record.data()).end(), kPage);
}

TEST(ChangesTest, AppliedToTheTwinTheyMakeThePage) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        Page twin(kPage), mine;
        for (std::byte& byte : twin)
            byte = static_cast<std::byte>(random());
        mine = twin;
        for (unsigned i = 0; i < random() % 300; ++i)
            mine[random() % kPage] = static_cast<std::byte>(random());
        const auto record = record_of(mine, twin);
        if (!record.empty()) changes::apply(record.data(), twin.data());
        ASSERT_EQ(twin, mine);
    }
}

TEST(ChangesTest, NeighboursDoNotOverwriteEachOther) {
    const Page twin = page_of(0), one = written(16, {1}), other = written(17, {2});
    Page both = twin;
    changes::apply(record_of(one, twin).data(), both.data());
    changes::apply(record_of(other, twin).data(), both.data());
    EXPECT_EQ(both, written(16, {1, 2}));
    EXPECT_EQ(conflict(one, other), kPage);
}

TEST(ChangesTest, AConflictIsAByteWithTwoValues) {
    EXPECT_EQ(conflict(written(100, {1, 2, 3}), written(98, {7, 7, 1, 2, 4})), 102u);
    EXPECT_EQ(conflict(written(100, {1, 2, 3}), written(100, {1, 2, 3})), kPage);
    EXPECT_EQ(conflict(written(4095, {1}), written(4095, {2})), 4095u);
}

TEST(ChangesTest, ConflictsAreFoundAsByLookingAtEachByte) {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        Page twin = page_of(0), one = twin, other = twin;
        for (Page* page : {&one, &other})
            for (unsigned i = 0; i < random() % 100; ++i)
                (*page)[random() % 512] = static_cast<std::byte>(random() % 3);
        std::size_t expected = kPage;
        for (std::size_t at = kPage; at-- > 0;)
            if (one[at] != twin[at] && other[at] != twin[at] && one[at] != other[at]) expected = at;
        if (one == twin || other == twin) continue;
        ASSERT_EQ(conflict(one, other), expected);
    }
}

} // namespace
} // namespace teff::processes::changes
