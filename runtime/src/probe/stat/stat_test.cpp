// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "base/contention.h"
#include "probe/stat/counters.h"
#include "probe/stat/perf_events.h"
#include "sync/mutex.h"

namespace teff::probe::stat {

namespace {

TEST(Counters, time_goes_to_what_the_worker_did) {
    Counters counters{};
    counters.state = TEFF_STAT_WAITING;
    counters.since = 100;
    enter(counters, TEFF_STAT_USER, 130);
    enter(counters, TEFF_STAT_QUEUES, 170);
    enter(counters, TEFF_STAT_USER, 175);
    enter(counters, TEFF_STAT_IDLE, 180);
    EXPECT_EQ(counters.ticks[TEFF_STAT_WAITING], 30u);
    EXPECT_EQ(counters.ticks[TEFF_STAT_USER], 45u);
    EXPECT_EQ(counters.ticks[TEFF_STAT_QUEUES], 5u);
    EXPECT_EQ(counters.ticks[TEFF_STAT_IDLE], 0u);
    EXPECT_EQ(counters.since, 180u);
}

TEST(Counters, a_thread_without_them_counts_nothing) {
    ASSERT_EQ(base::this_threads_counts, nullptr);
    base::count_here(TEFF_STAT_WAKES);
    const base::Contention<TEFF_STAT_LOCKS_CONTENDED> contention;
}

TEST(Counters, contention_is_counted_and_timed) {
    Counters counters{};
    base::this_threads_counts = counters.counts;
    {
        const base::Contention<TEFF_STAT_PRIORITY_CONTENDED> contention;
        for (const base::Ticks began = base::ticks(); base::ticks() == began;) {
        }
    }
    base::count_here(TEFF_STAT_WAKES);
    base::this_threads_counts = nullptr;
    EXPECT_EQ(counters.counts[TEFF_STAT_PRIORITY_CONTENDED], 1u);
    EXPECT_GT(counters.counts[TEFF_STAT_PRIORITY_WAIT_TICKS], 0u);
    EXPECT_EQ(counters.counts[TEFF_STAT_LOCKS_CONTENDED], 0u);
    EXPECT_EQ(counters.counts[TEFF_STAT_WAKES], 1u);
}

TEST(Counters, who_finds_a_lock_held_waits_for_it) {
    Counters counters{};
    sync::Mutex lock;
    for (int round = 0; round < 10'000 && counters.counts[TEFF_STAT_LOCKS_CONTENDED] == 0; ++round) {
        lock.lock();
        std::thread other([&] {
            base::this_threads_counts = counters.counts;
            lock.lock();
            lock.unlock();
        });
        std::this_thread::yield();
        lock.unlock();
        other.join();
    }
    EXPECT_EQ(counters.counts[TEFF_STAT_LOCKS_CONTENDED], 1u);
    EXPECT_GT(counters.counts[TEFF_STAT_LOCK_WAIT_TICKS], 0u);
}

TEST(StatEvents, pairs_are_read_up_to_what_is_none) {
    const Events events = parse_events("0:1,1:3,4:424");
    ASSERT_EQ(events.count, 3u);
    EXPECT_EQ(events.wanted[1].type, 1u);
    EXPECT_EQ(events.wanted[1].config, 3u);
    EXPECT_EQ(events.wanted[2].config, 424u);
    EXPECT_EQ(parse_events("").count, 0u);
    EXPECT_EQ(parse_events("1").count, 0u);
    EXPECT_EQ(parse_events("1:").count, 0u);
    EXPECT_EQ(parse_events("1:2,").count, 1u);
    EXPECT_EQ(parse_events("1:2,x:3").count, 1u);
    EXPECT_EQ(parse_events("1:2;1:3").count, 0u);
    EXPECT_EQ(parse_events("1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1").count, TEFF_STAT_EVENTS);
}

TEST(StatEvents, the_kernel_counts_a_threads_time) {
    Counters counters{};
    std::int32_t errors[TEFF_STAT_EVENTS] = {};
    open_events(parse_events("1:1,99:99"), counters, errors);
    EXPECT_NE(errors[1], 0) << "there is no such event";
    if (errors[0] != 0) GTEST_SKIP() << "perf_event_open is not allowed: " << errors[0];
    for (const auto end = base::monotonic_ns() + 2'000'000; base::monotonic_ns() < end;) {
    }
    read_events(counters);
    close_events(counters);
    EXPECT_GT(counters.events[0].value, 0u);
    EXPECT_EQ(counters.events[1].value, 0u);
    EXPECT_EQ(counters.event_files[0], -1);
}

} // namespace

} // namespace teff::probe::stat
