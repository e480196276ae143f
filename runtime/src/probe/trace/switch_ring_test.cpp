// SPDX-License-Identifier: Apache-2.0
// The tests of an open ring are skipped where the kernel refuses one.
#include "probe/trace/switch_ring.h"

#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

constexpr long kMillisecond = 1'000'000;

void sleep_ns(long ns) {
    const timespec time{0, ns};
    nanosleep(&time, nullptr);
}

class SwitchRingTest : public testing::Test {
  protected:
    SwitchRingTest() {
        note_surroundings();
        const Guest guest;
        ring_->open(guest, static_cast<std::uint32_t>(gettid()));
    }
    ~SwitchRingTest() override { ring_->close(); }

    // The sleeps that the ring tells of; `is_whole` is what it returns.
    std::vector<SwitchRing::Off> sleeps() {
        std::vector<SwitchRing::Off> found;
        is_whole_ = ring_->drain([&](const SwitchRing::Off& off) {
            if (!off.was_preempted) found.push_back(off);
        });
        return found;
    }

    std::unique_ptr<SwitchRing> ring_ = std::make_unique<SwitchRing>();
    bool is_whole_ = false;
};

TEST_F(SwitchRingTest, TellsWhenItsThreadSlept) {
    if (!ring_->is_open()) GTEST_SKIP() << "the kernel refuses the event";
    const base::Ticks begin = base::ticks();
    const std::uint64_t begin_ns = base::monotonic_ns();
    for (int i = 0; i < 3; ++i)
        sleep_ns(kMillisecond);
    const base::Ticks end = base::ticks();
    const std::uint64_t end_ns = base::monotonic_ns();
    const auto found = sleeps();
    EXPECT_TRUE(is_whole_);
    ASSERT_GE(found.size(), 3u);
    base::Ticks passed = 0, slept = 0;
    for (const auto& off : found) {
        EXPECT_GE(off.begin, passed);
        passed = off.begin + off.ticks;
        if (off.begin >= begin) slept += off.ticks;
    }
    EXPECT_LE(passed, end);
    const double ticks_of_ms = static_cast<double>(end - begin) / static_cast<double>(end_ns - begin_ns) * 1e6;
    EXPECT_GE(static_cast<double>(slept), 2.99 * ticks_of_ms);
    EXPECT_TRUE(sleeps().empty()) << "it tells each of them once";
}

TEST_F(SwitchRingTest, LeavesOutSleepsThatAreNoted) {
    if (!ring_->is_open()) GTEST_SKIP() << "the kernel refuses the event";
    (void)sleeps();
    for (int i = 0; i < 4; ++i) {
        const base::Ticks begin = base::ticks();
        sleep_ns(kMillisecond);
        const bool is_full = i % 2 == 0 && ring_->note_sleep(begin, base::ticks());
        EXPECT_FALSE(is_full);
    }
    EXPECT_EQ(sleeps().size(), 2u);
    for (int i = 0; i < 2; ++i)
        sleep_ns(kMillisecond);
    EXPECT_EQ(sleeps().size(), 2u) << "what was noted is forgotten";
}

TEST_F(SwitchRingTest, AsksToBeReadBeforeItForgetsSleeps) {
    bool is_full = false;
    for (int i = 0; i < 64; ++i) {
        EXPECT_FALSE(is_full);
        is_full = ring_->note_sleep(1, 2);
    }
    EXPECT_TRUE(is_full);
}

TEST_F(SwitchRingTest, SaysThatItWasTooSmall) {
    if (!ring_->is_open()) GTEST_SKIP() << "the kernel refuses the event";
    for (int i = 0; i < 5'000; ++i)
        sleep_ns(1);
    EXPECT_LT(sleeps().size(), 5'000u);
    EXPECT_FALSE(is_whole_);
    sleep_ns(1);
    (void)sleeps(); // has the kernel's word that records were lost
    sleep_ns(1);
    EXPECT_EQ(sleeps().size(), 1u);
    EXPECT_TRUE(is_whole_);
}

TEST_F(SwitchRingTest, LeavesNoDescriptorAndNoThread) {
    const int first = dup(0);
    close(first);
    const Guest guest;
    ring_->open(guest, static_cast<std::uint32_t>(gettid()));
    const int second = dup(0);
    close(second);
    EXPECT_EQ(first, second);
    ring_->close();
    EXPECT_FALSE(ring_->is_open());
}

TEST_F(SwitchRingTest, IsNotOpenForAThreadThatDoesNotExist) {
    const Guest guest;
    ring_->open(guest, 0x7fff'fff0);
    EXPECT_FALSE(ring_->is_open());
}

class StreamSwitchesTest : public StreamTest {
  protected:
    static bool can_follow() {
        const auto ring = std::make_unique<SwitchRing>();
        const Guest guest;
        ring->open(guest, static_cast<std::uint32_t>(gettid()));
        const bool can = ring->is_open();
        ring->close();
        return can;
    }
    static bool is_told(const ReadRecord& thread) { return (thread.flags() & TEFF_THREAD_TOLD) != 0; }
};

TEST_F(StreamSwitchesTest, AStreamTellsWhenItsThreadWasOff) {
    if (!can_follow()) GTEST_SKIP() << "the kernel refuses the event";
    const auto stream = open();
    stream->follow_switches();
    stream->begin_thread();
    const base::Ticks begin = base::ticks();
    sleep_ns(kMillisecond);
    const base::Ticks end = base::ticks();
    sleep_ns(kMillisecond);
    stream->idle(end, base::ticks(), 0);
    stream->close();
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto threads = all.of_type(TEFF_REC_THREAD);
    ASSERT_EQ(threads.size(), 2u);
    EXPECT_FALSE(is_told(threads[0])) << "nobody knows what was before";
    EXPECT_TRUE(is_told(threads[1]));
    int slept = 0;
    for (const ReadRecord& off : all.of_type(TEFF_REC_OFF)) {
        if (off.flags() != TEFF_OFF_SLEPT || off.when() < begin - origin_.ticks) continue;
        ++slept;
        EXPECT_LE(off.when() + off.as<teff_rec_off>().ticks, end - origin_.ticks);
    }
    EXPECT_EQ(slept, 1) << "the second one has an IDLE";
}

TEST_F(StreamSwitchesTest, AThreadThatTakesAStreamOverHasItsOwnRing) {
    if (!can_follow()) GTEST_SKIP() << "the kernel refuses the event";
    const auto stream = open();
    stream->follow_switches();
    for (int i = 0; i < 2; ++i) {
        stream->begin_thread();
        sleep_ns(kMillisecond);
        stream->end_thread();
    }
    const auto threads = read().of_type(TEFF_REC_THREAD);
    ASSERT_EQ(threads.size(), 4u);
    for (std::size_t i = 0; i < threads.size(); ++i)
        EXPECT_EQ(is_told(threads[i]), i % 2 == 1);
    EXPECT_GE(read().of_type(TEFF_REC_OFF).size(), 2u);
}

TEST_F(StreamSwitchesTest, AThreadThatIsBackInAWindowTellsWhatWasBetween) {
    if (!can_follow()) GTEST_SKIP() << "the kernel refuses the event";
    const auto stream = open();
    stream->follow_switches();
    stream->begin_window(1, 7);
    sleep_ns(kMillisecond); // no record of the thread's follows in this window
    stream->begin_window(2, 7);
    const auto threads = read().of_type(TEFF_REC_THREAD);
    ASSERT_EQ(threads.size(), 2u);
    EXPECT_FALSE(is_told(threads[0]));
    EXPECT_TRUE(is_told(threads[1]));
    EXPECT_EQ(threads[1].flags() & TEFF_THREAD_BEGINS, 0);
    EXPECT_GE(read().of_type(TEFF_REC_OFF).size(), 1u);
}

TEST_F(StreamSwitchesTest, AStreamThatIsNotAskedTellsNothing) {
    const auto stream = open();
    stream->begin_thread();
    sleep_ns(kMillisecond);
    stream->close();
    EXPECT_TRUE(read().of_type(TEFF_REC_OFF).empty());
    for (const ReadRecord& thread : read().of_type(TEFF_REC_THREAD))
        EXPECT_FALSE(is_told(thread));
}

} // namespace
} // namespace teff::probe::trace
