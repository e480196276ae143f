// SPDX-License-Identifier: Apache-2.0
#include "abi/affinity_format.h"

#include <sched.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace teff::abi {
namespace {

// Returns the text of a thread that has not used OpenMP.
std::string made_by(std::string_view format) {
    char text[5000];
    const std::size_t length = write_affinity(text, sizeof text, format);
    EXPECT_LE(length, sizeof text) << format;
    return {text, std::min(length, sizeof text)};
}

TEST(AffinityFormat, PlainTextAndPercentSignsStay) {
    EXPECT_EQ(made_by("no fields"), "no fields");
    EXPECT_EQ(made_by("100%% of 7%%"), "100% of 7%");
}

TEST(AffinityFormat, LettersAndLongNamesMeanTheSame) {
    EXPECT_EQ(made_by("%n %N %L %a %t %T"), "0 1 0 -1 0 1");
    EXPECT_EQ(made_by("%{thread_num} %{num_threads} %{nesting_level} %{ancestor_tnum} %{team_num} %{num_teams}"),
              "0 1 0 -1 0 1");
    EXPECT_EQ(made_by("%P"), std::to_string(getpid()));
    EXPECT_EQ(made_by("%{host}"), made_by("%H"));
    EXPECT_EQ(made_by("%{thread_affinity}"), made_by("%A"));
    EXPECT_EQ(made_by("%{native_thread_id}").substr(0, 2), "0x");
}

TEST(AffinityFormat, WidthsPadOnTheSideAsked) {
    EXPECT_EQ(made_by("[%4n]"), "[0   ]");
    EXPECT_EQ(made_by("[%.4n]"), "[   0]");
    EXPECT_EQ(made_by("[%0.4n]"), "[0000]");
    EXPECT_EQ(made_by("[%0.4a]"), "[-001]");
    EXPECT_EQ(made_by("[%04n]"), "[0   ]") << "zeros would be read as another number";
    EXPECT_EQ(made_by("[%1P]"), "[" + std::to_string(getpid()) + "]") << "a field never loses characters";
}

TEST(AffinityFormat, UnknownAndBrokenFieldsAreUndefined) {
    EXPECT_EQ(made_by("%x|%{nobody}|%n"), "undefined|undefined|0");
    EXPECT_EQ(made_by("%"), "undefined");
    EXPECT_EQ(made_by("%5"), "undefined");
    EXPECT_EQ(made_by("%{thread_num"), "0") << "a missing brace ends with the text";
    EXPECT_EQ(made_by("%99999999999999999999999n").substr(0, 3), "0  ") << "absurd widths are cut";
}

TEST(AffinityFormat, ShortBuffersGetTheBeginningAndTheWholeLength) {
    char text[8] = {'.', '.', '.', '.', '.', '.', '.', '.'};
    EXPECT_EQ(write_affinity(text, 3, "abcdef%n"), 7u);
    EXPECT_EQ(std::string(text, 8), "abc.....");
    EXPECT_EQ(write_affinity(nullptr, 0, "abcdef%n"), 7u);
}

TEST(AffinityFormat, TheProcesssFormatIsCopiedAndUsedForAnEmptyOne) {
    std::string format = "mine %n";
    set_affinity_format(format);
    format = "gone   ";
    char text[16];
    ASSERT_EQ(copy_affinity_format(text, sizeof text), 7u);
    EXPECT_EQ(std::string(text, 7), "mine %n");
    EXPECT_EQ(made_by(""), "mine 0");
}

class AsLibomp : public testing::Test {
    void SetUp() override { write_affinity_as(icv::Precedence::of_libomp); }
    void TearDown() override { write_affinity_as(icv::Precedence::of_libgomp); }
};

TEST_F(AsLibomp, ThreadsHaveTheKernelsNumbers) { EXPECT_EQ(made_by("%i"), std::to_string(gettid())); }

TEST_F(AsLibomp, LinesGoToStandardOutput) {
    testing::internal::CaptureStdout();
    print_affinity("thread %n");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "thread 0\n");
}

TEST_F(AsLibomp, TwoNeighboursAreNoRange) {
    cpu_set_t before, two;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    if (!CPU_ISSET(0, &before) || !CPU_ISSET(1, &before)) GTEST_SKIP() << "needs processors 0 and 1";
    CPU_ZERO(&two);
    CPU_SET(0, &two);
    CPU_SET(1, &two);
    ASSERT_EQ(sched_setaffinity(0, sizeof two, &two), 0);
    EXPECT_EQ(made_by("{%A}"), "{0,1}");
    write_affinity_as(icv::Precedence::of_libgomp);
    EXPECT_EQ(made_by("{%A}"), "{0-1}");
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

} // namespace
} // namespace teff::abi
