// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/thread_counters.h"

#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {
namespace {

using Refusal = ThreadCounters::Refusal;

class ThreadCountersTest : public testing::Test {
  protected:
    ThreadCountersTest() { note_surroundings(); }
    ~ThreadCountersTest() override { counters_->close(); }

    void open(const char* events) {
        const Guest guest;
        counters_->open(guest, static_cast<std::uint32_t>(gettid()), CountedEvents::parse(events), refused_);
    }

    std::unique_ptr<ThreadCounters> counters_ = std::make_unique<ThreadCounters>();
    ThreadCounters::Refused refused_[ThreadCounters::kMost];
};

TEST_F(ThreadCountersTest, TheClockIsTheThreads) {
    open("task-clock=1:1");
    ASSERT_EQ(counters_->count(), 1u);
    ThreadCounters::Values began{}, ended{};
    ASSERT_TRUE(counters_->read_before(began));
    const std::uint64_t from = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - from < 1'000'000) {
    }
    ASSERT_TRUE(counters_->read_after(ended));
    EXPECT_LE(began[0], from);
    EXPECT_GE(ended[0], from + 1'000'000);
    EXPECT_LE(counters_->between(began, ended)[0], ended[0] - began[0]);
    EXPECT_GE(counters_->between(began, ended)[0], 900'000u);
}

TEST_F(ThreadCountersTest, CountsNeverGoBack) {
    open("task-clock=1:1,context-switches=1:3");
    const ThreadCounters::Values later{10, 10}, earlier{5, 5};
    EXPECT_EQ(counters_->between(later, earlier)[0], 0u);
}

TEST_F(ThreadCountersTest, WhatTheKernelDoesNotTellIsRefused) {
    open("cpu-migrations=1:4,page-faults=1:2,nothing=1:12345");
    EXPECT_EQ(refused_[0].reason, Refusal::kNotOfThread);
    EXPECT_EQ(refused_[1].reason, Refusal::kNone);
    EXPECT_EQ(refused_[2].reason, Refusal::kNotOfThread);
    ASSERT_EQ(counters_->count(), 1u);
    EXPECT_EQ(counters_->event(0), 1u);
}

TEST_F(ThreadCountersTest, AnUnknownKindIsRefusedByTheKernel) {
    open("none=4000000000:0");
    EXPECT_EQ(refused_[0].reason, Refusal::kByKernel);
    EXPECT_NE(refused_[0].error, 0);
    EXPECT_EQ(counters_->count(), 0u);
}

// Where the processor counts for programs.
TEST_F(ThreadCountersTest, InstructionsAreCountedWithoutTheKernels) {
    open("instructions=0:1,cycles=0:0");
    if (counters_->count() != 2) GTEST_SKIP() << "the kernel or the processor refuses the events";
    ThreadCounters::Values began{}, ended{};
    ASSERT_TRUE(counters_->read_before(began));
    for (int i = 0; i < 100'000; ++i)
        asm volatile("");
    ASSERT_TRUE(counters_->read_after(ended));
    const ThreadCounters::Values counts = counters_->between(began, ended);
    EXPECT_GE(counts[0], 200'000u);
    EXPECT_LE(counts[0], 2'000'000u);
    EXPECT_GT(counts[1], 0u);
}

} // namespace
} // namespace teff::probe::trace
