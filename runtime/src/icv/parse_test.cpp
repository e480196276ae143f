// SPDX-License-Identifier: Apache-2.0
#include "icv/parse.h"

#include <climits>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace teff::icv::parse {
namespace {

// What no parser of a number, word, list or schedule may accept.
const std::vector<std::string> kHostile = {
    "",
    " ",
    "\t\n",
    "-",
    "+",
    "-1",
    "--1",
    "+-1",
    "++1",
    "1-",
    "1 2",
    "1.5",
    "1e3",
    "0x10",
    "1_000",
    "1;2",
    ";",
    ":",
    "::",
    ",",
    ",,",
    "1,",
    ",1",
    "1,,2",
    "truefalse",
    "tru",
    "TRUE FALSE",
    "yes",
    "on",
    "nil",
    "NaN",
    "static,",
    "static,x",
    "static,-1",
    "static,1,2",
    "static:1",
    ":static",
    "monotonic",
    "monotonic:",
    "monotonic:static:1",
    "mono:static",
    "monotonic static",
    "dynamic,99999999999",
    "runtime",
    "close,",
    ",close",
    "close,,spread",
    "true,close",
    "close,false",
    "close spread",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "\xff\xfe",
    "\xc3\x28",
    "1\xff",
    "\x1b[31m",
    "%s%n",
    "$(id)",
    std::string("1\0002", 3),
    std::string(1, '\0'),
    std::string(100000, '9'),
    std::string(100000, ' '),
    std::string(100000, ','),
    std::string(100000, 'a'),
    "1 K K",
    "1KB",
    "1 P",
    "K",
    "kk",
    "1k1",
    "infinit",
    "infinite1",
    "\u00a01",
    "\uff11",
};

TEST(Parse, HostileTextIsRefusedByAll) {
    static constexpr Word<bool> kWords[] = {{"true", true}, {"false", false}};
    for (const std::string& text : kHostile) {
        EXPECT_FALSE(integer(text, 0, UINT64_MAX)) << text;
        EXPECT_FALSE(power_of_two(text, 0, UINT64_MAX)) << text;
        EXPECT_FALSE(size_in_bytes(text, 0, UINT64_MAX)) << text;
        EXPECT_FALSE(spin_count(text)) << text;
        EXPECT_FALSE(num_threads(text)) << text;
        EXPECT_FALSE(proc_bind(text)) << text;
        EXPECT_FALSE(schedule(text)) << text;
        EXPECT_FALSE(signal_number(text)) << text;
        EXPECT_FALSE(word<bool>(text, kWords)) << text;
    }
}

template <class T> bool in_range(std::optional<T> value, std::type_identity_t<T> low, std::type_identity_t<T> high) {
    return !value || (*value >= low && *value <= high);
}

// Whatever the bytes: no crash, and what is accepted is within its range.
TEST(Parse, RandomTextNeverBreaksAPromise) {
    std::mt19937 random(1);
    const std::string alphabet = "0123456789,,::  -+kKmMgGtTaAcdeilnorsuyTRUE\t\xff";
    for (int i = 0; i < 200000; ++i) {
        std::string text(random() % 12, ' ');
        for (char& c : text)
            c = alphabet[random() % alphabet.size()];
        EXPECT_TRUE(in_range(integer(text, 3, 77), 3, 77)) << text;
        EXPECT_TRUE(in_range(size_in_bytes(text, 3, 1 << 20), 3, 1 << 20)) << text;
        EXPECT_TRUE(in_range(spin_count(text), 0, INT64_MAX)) << text;
        EXPECT_GE(schedule(text).value_or(RunSchedule{}).chunk, 0) << text;
        for (const std::uint32_t threads : num_threads(text).value_or(LevelList<std::uint32_t>{}))
            EXPECT_TRUE(threads >= 1 && threads <= INT32_MAX) << text;
    }
}

TEST(Parse, IntegersWithinTheirRange) {
    EXPECT_EQ(integer("0", 0, 10), 0u);
    EXPECT_EQ(integer(" 7 ", 0, 10), 7u);
    EXPECT_EQ(integer("\t+7\n", 0, 10), 7u);
    EXPECT_EQ(integer("007", 0, 10), 7u);
    EXPECT_EQ(integer("10", 0, 10), 10u);
    EXPECT_FALSE(integer("11", 0, 10));
    EXPECT_FALSE(integer("0", 1, 10));
    EXPECT_EQ(integer("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
}

TEST(Parse, PowersOfTwo) {
    EXPECT_EQ(power_of_two("1024", 2, 1 << 20), 1024u);
    EXPECT_EQ(power_of_two("2", 2, 1 << 20), 2u);
    for (const char* text : {"0", "1", "3", "1000", "2097152"})
        EXPECT_FALSE(power_of_two(text, 2, 1 << 20)) << text;
}

TEST(Parse, SizesAreKibibytesWithoutASuffix) {
    EXPECT_EQ(size_in_bytes("512", 0, UINT64_MAX), 512u << 10);
    EXPECT_EQ(size_in_bytes("512B", 0, UINT64_MAX), 512u);
    EXPECT_EQ(size_in_bytes(" 3 k ", 0, UINT64_MAX), 3u << 10);
    EXPECT_EQ(size_in_bytes("2M", 0, UINT64_MAX), 2u << 20);
    EXPECT_EQ(size_in_bytes("2 m", 0, UINT64_MAX), 2u << 20);
    EXPECT_EQ(size_in_bytes("1G", 0, UINT64_MAX), 1u << 30);
    EXPECT_FALSE(size_in_bytes("18446744073709551615", 0, UINT64_MAX)); // overflows when made bytes
    EXPECT_EQ(size_in_bytes("18446744073709551615B", 0, UINT64_MAX), UINT64_MAX);
    EXPECT_FALSE(size_in_bytes("17179869184G", 0, UINT64_MAX));
    EXPECT_FALSE(size_in_bytes("1", 2048, UINT64_MAX));
}

TEST(Parse, SpinCountsGrowByThousandsAndStopAtTheLargest) {
    EXPECT_EQ(spin_count("0"), 0);
    EXPECT_EQ(spin_count("10k"), 10'000);
    EXPECT_EQ(spin_count("3 M"), 3'000'000);
    EXPECT_EQ(spin_count("1g"), 1'000'000'000);
    EXPECT_EQ(spin_count("1t"), 1'000'000'000'000);
    EXPECT_EQ(spin_count("18446744073709551615"), INT64_MAX);
    EXPECT_EQ(spin_count("99999999t"), INT64_MAX);
    EXPECT_EQ(spin_count(" Infinite "), INT64_MAX);
    EXPECT_EQ(spin_count("INFINITY"), INT64_MAX);
}

TEST(Parse, SourcesOfPreemption) {
    EXPECT_EQ(preemption("off"), (Preemption{PreemptionSource::off, 0}));
    EXPECT_EQ(preemption(" On "), (Preemption{PreemptionSource::demand, 0}));
    EXPECT_EQ(preemption("kernel"), (Preemption{PreemptionSource::kernel, 0}));
    EXPECT_EQ(preemption("timer:10us"), (Preemption{PreemptionSource::timer, 10}));
    EXPECT_EQ(preemption("Perf : 1000000 US"), (Preemption{PreemptionSource::perf, 1'000'000}));
    for (const char* text : {"timer", "timer:", "timer:20", "timer:9us", "timer:1000001us", "perf:20ms", "perf:20usus",
                             "on:20us", "kernel:20us", "1", "yes", "timer:20us,", ":20us"})
        EXPECT_FALSE(preemption(text)) << text;
}

TEST(Parse, SignalsThatAProgramMayLeaveToTheRuntime) {
    EXPECT_EQ(signal_number("SIGURG"), SIGURG);
    EXPECT_EQ(signal_number(" usr1 "), SIGUSR1);
    EXPECT_EQ(signal_number("SIGRTMIN+0"), SIGRTMIN);
    EXPECT_EQ(signal_number("rtmin+30"), SIGRTMIN + 30);
    for (const char* text : {"SEGV", "SIGKILL", "SIG", "SIGRTMIN", "RTMIN+31", "RTMIN+", "RTMIN-1", "23", "SIGSIGURG"})
        EXPECT_FALSE(signal_number(text)) << text;
    EXPECT_EQ(signal_name(SIGURG), "URG");
    EXPECT_EQ(signal_name(SIGRTMIN), "");
}

TEST(Parse, SchedulesWithoutAModifier) {
    EXPECT_EQ(schedule("static"), (RunSchedule{ScheduleKind::static_, true, 0}));
    EXPECT_EQ(schedule("STATIC,4"), (RunSchedule{ScheduleKind::static_, true, 4}));
    EXPECT_EQ(schedule(" dynamic "), (RunSchedule{ScheduleKind::dynamic, false, 1}));
    EXPECT_EQ(schedule("Guided , 7 "), (RunSchedule{ScheduleKind::guided, false, 7}));
    EXPECT_EQ(schedule("auto"), (RunSchedule{ScheduleKind::auto_, false, 1}));
    EXPECT_EQ(schedule("dynamic,2147483647"), (RunSchedule{ScheduleKind::dynamic, false, INT32_MAX}));
    EXPECT_FALSE(schedule("dynamic,2147483648"));
}

TEST(Parse, SchedulesWithAModifier) {
    EXPECT_EQ(schedule("monotonic:dynamic,3"), (RunSchedule{ScheduleKind::dynamic, true, 3}));
    EXPECT_EQ(schedule("NonMonotonic : static"), (RunSchedule{ScheduleKind::static_, false, 0}));
    EXPECT_EQ(schedule(" monotonic: guided ,2"), (RunSchedule{ScheduleKind::guided, true, 2}));
}

TEST(Parse, AChunkOfZeroIsTheKindsDefault) {
    EXPECT_EQ(schedule("static,0"), (RunSchedule{ScheduleKind::static_, true, 0}));
    EXPECT_EQ(schedule("dynamic,0"), (RunSchedule{ScheduleKind::dynamic, false, 1}));
}

TEST(Parse, ThreadCountsPerLevel) {
    const auto list = num_threads(" 4, 3 ,2 ");
    ASSERT_TRUE(list);
    EXPECT_EQ(std::vector<std::uint32_t>(list->begin(), list->end()), (std::vector<std::uint32_t>{4, 3, 2}));
    EXPECT_EQ(*num_threads("2147483647")->begin(), 2147483647u);
    for (const char* text : {"0", "4,0", "2147483648", "4,-3", "4 3"})
        EXPECT_FALSE(num_threads(text)) << text;
}

TEST(Parse, AListHoldsAsManyLevelsAsAreSupported) {
    std::string text = "1";
    for (std::uint32_t i = 1; i < kSupportedActiveLevels; ++i)
        text += ",1";
    ASSERT_TRUE(num_threads(text));
    EXPECT_EQ(num_threads(text)->size, kSupportedActiveLevels);
    EXPECT_FALSE(num_threads(text + ",1"));
}

TEST(Parse, BindingIsABooleanOrAListOfPolicies) {
    EXPECT_EQ(*proc_bind("TRUE")->begin(), ProcBind::true_);
    EXPECT_EQ(*proc_bind(" false ")->begin(), ProcBind::false_);
    const auto list = proc_bind("spread, CLOSE ,primary,master");
    ASSERT_TRUE(list);
    EXPECT_EQ(std::vector<ProcBind>(list->begin(), list->end()),
              (std::vector<ProcBind>{ProcBind::spread, ProcBind::close, ProcBind::primary, ProcBind::primary}));
}

TEST(Parse, AFilesIdentityIsTwoNumbers) {
    EXPECT_EQ(file_identity(" 2049:131 "), "2049:131");
    EXPECT_EQ(file_identity("0:18446744073709551615"), "0:18446744073709551615");
    for (const char* text :
         {"", ":", "1", "1:", ":1", "1:2:3", "+1:2", "1: 2", "-1:2", "1:0x2", "1:18446744073709551616"})
        EXPECT_FALSE(file_identity(text)) << text;
}

TEST(Parse, PlainTextIsTrimmedAndPrintable) {
    EXPECT_EQ(plain_text("  {0,1},{2} "), "{0,1},{2}");
    for (const char* text : {"", "  ", "a\nb", "caf\xc3\xa9", "\xff", "\x1b[0m", "a\x7f"})
        EXPECT_FALSE(plain_text(text)) << text;
}

} // namespace
} // namespace teff::icv::parse
