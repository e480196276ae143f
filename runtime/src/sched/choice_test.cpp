// SPDX-License-Identifier: Apache-2.0
//
// Tests choose() for all rows and all inputs.
#include "sched/choice.h"

#include <gtest/gtest.h>
#include <vector>

namespace teff::sched {
namespace {

std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (const bool on_top : {false, true})
        for (const bool starts : {false, true})
            for (const bool own_first : {false, true})
                for (const Resumes resumes : {Resumes::kNone, Resumes::kDescendants, Resumes::kAny})
                    rows.push_back({.on_top = on_top, .own_first = own_first, .starts = starts, .resumes = resumes});
    return rows;
}

std::vector<Seen> all_inputs() {
    std::vector<Seen> inputs;
    for (unsigned bits = 0; bits < 32; ++bits)
        for (const std::int32_t ready : {kNoLevel, 0, 1, 2})
            for (const std::int32_t queued : {0, 1, 2})
                for (const std::int32_t waits_at : {0, 1, 2})
                    inputs.push_back({.over = (bits & 1) != 0,
                                      .ready = ready,
                                      .queued = queued,
                                      .waits_at = waits_at,
                                      .own = (bits & 2) != 0,
                                      .others = (bits & 4) != 0,
                                      .unrelated = (bits & 8) != 0,
                                      .higher = (bits & 16) != 0});
    return inputs;
}

template <class Check> void for_all(Check&& check) {
    for (const Row& row : all_rows())
        for (const Seen& seen : all_inputs())
            check(row, seen, choose(row, seen));
}

TEST(Choice, ReturnsIfAndOnlyIfTheWaitIsOver) {
    for_all([](const Row&, const Seen& seen, Act act) { EXPECT_EQ(act == Act::kReturn, seen.over); });
}

TEST(Choice, DoesNothingThatItsRowForbids) {
    for_all([](const Row& row, const Seen&, Act act) {
        if (!row.on_top) {
            EXPECT_TRUE(act != Act::kRunOwn && act != Act::kRunOther);
        }
        if (!row.starts) {
            EXPECT_TRUE(act != Act::kStart && act != Act::kStartHigher);
        }
        if (row.resumes == Resumes::kNone) {
            EXPECT_NE(act, Act::kResume);
        }
    });
}

TEST(Choice, TriesOnlyWhatMayBeThere) {
    for_all([](const Row&, const Seen& seen, Act act) {
        if (act == Act::kResume) {
            EXPECT_NE(seen.ready, kNoLevel);
        }
        if (act == Act::kRunOwn) {
            EXPECT_TRUE(seen.own);
        }
        if (act == Act::kRunOther) {
            EXPECT_TRUE(seen.others);
        }
        if (act == Act::kStart) {
            EXPECT_TRUE(seen.unrelated);
        }
        if (act == Act::kStartHigher) {
            EXPECT_TRUE(seen.higher && seen.queued > seen.waits_at);
        }
    });
}

TEST(Choice, IdlesOnlyIfItsRowAllowsNothingThatMayBeThere) {
    for_all([](const Row& row, const Seen& seen, Act act) {
        if (act != Act::kIdle) return;
        EXPECT_FALSE(row.resumes != Resumes::kNone && seen.ready != kNoLevel);
        EXPECT_FALSE(row.on_top && (seen.own || seen.others));
        EXPECT_FALSE(row.starts && seen.unrelated);
    });
}

// Tasks that have begun go before tasks of the same priority that have not, except tasks that the
// waiting task's own context has created.
TEST(Choice, StartsNothingWhileAReadyContextOfItsLevelMayGoOn) {
    for_all([](const Row& row, const Seen& seen, Act act) {
        if (seen.over || row.resumes == Resumes::kNone || seen.ready == kNoLevel || seen.ready < seen.queued) return;
        if (act != Act::kResume) {
            EXPECT_TRUE(row.own_first && seen.own && seen.ready <= seen.waits_at);
            EXPECT_TRUE(act == Act::kRunOwn || act == Act::kStartHigher);
        }
    });
}

TEST(Choice, LetsOnlyHigherTasksRunBeforeAReadyContextThatAwaitsItsTurn) {
    const Seen seen{.ready = 3, .queued = 5, .waits_at = 2, .own = true, .unrelated = true, .higher = true};
    EXPECT_EQ(choose(kUntiedWait, seen), Act::kStartHigher);
    EXPECT_EQ(level_to_exceed(kUntiedWait, seen), 3);
    EXPECT_EQ(level_to_exceed(kOnOneStack, seen), kNoLevel);
    for_all([](const Row& row, const Seen& seen, Act act) {
        const std::int32_t level = level_to_exceed(row, seen);
        if (act == Act::kReturn || act == Act::kIdle || act == Act::kResume) return;
        EXPECT_TRUE(level == kNoLevel || level == seen.ready);
        if (level == kNoLevel && row.resumes != Resumes::kNone && seen.ready != kNoLevel) {
            EXPECT_TRUE(row.own_first && seen.own && seen.ready <= seen.waits_at);
        }
    });
}

// Otherwise two such waits would resume each other for ever.
TEST(Choice, AWaitRunsItsOwnTasksBeforeItResumesOthersOfItsPriority) {
    for (const Row& row : {kTiedWait, kUntiedWait, kHoldsLock})
        for (const Seen& seen : all_inputs())
            if (!seen.over && seen.own && seen.queued <= seen.waits_at && seen.ready <= seen.waits_at) {
                EXPECT_EQ(choose(row, seen), Act::kRunOwn);
            }
}

TEST(Choice, PutsAHigherPriorityBeforeDescendants) {
    EXPECT_EQ(choose(kUntiedWait, {.queued = 2, .waits_at = 1, .own = true, .higher = true}), Act::kStartHigher);
    EXPECT_EQ(choose(kUntiedWait, {.queued = 1, .waits_at = 1, .own = true, .higher = true}), Act::kRunOwn);
    EXPECT_EQ(choose(kTiedWait, {.queued = 2, .waits_at = 1, .own = true, .higher = true}), Act::kRunOwn);
}

// Each failed attempt clears the flag for it, so repeated calls of choose() come to an end.
TEST(Choice, ComesToAnEndWhereNothingIsToBeHad) {
    for (const Row& row : all_rows())
        for (Seen seen : all_inputs()) {
            unsigned asked = 0;
            for (Act act = choose(row, seen); act != Act::kReturn && act != Act::kIdle; act = choose(row, seen)) {
                ASSERT_LT(++asked, 6u);
                if (act == Act::kResume) seen.ready = kNoLevel;
                if (act == Act::kStartHigher) seen.higher = false;
                if (act == Act::kRunOwn) seen.own = false;
                if (act == Act::kRunOther) seen.others = false;
                if (act == Act::kStart) seen.unrelated = false;
            }
        }
}

TEST(Choice, NothingStartsBesideALockThatIsHeld) {
    for (const Row& row : {kHoldsLock, kOnlyWaits, kOnOneStack})
        for (const Seen& seen : all_inputs()) {
            const Act act = choose(row, seen);
            EXPECT_TRUE(act != Act::kStart && act != Act::kStartHigher);
        }
}

} // namespace
} // namespace teff::sched
