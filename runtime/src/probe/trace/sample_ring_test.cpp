// SPDX-License-Identifier: Apache-2.0
// The tests of an open ring are skipped where the kernel refuses one.
#include "probe/trace/sample_ring.h"

#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>
#include <vector>

#include "probe/trace/calls.h"
#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

constexpr std::uint64_t kPeriod = 100'000, kMillisecond = 1'000'000;

// Does nothing but to spend processor time; no other function runs for long, not even one of
// ThreadSanitizer.
__attribute__((noinline, no_sanitize("thread"))) void spin(std::uint64_t ns) {
    const std::uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 20'000;)
            i = i + 1;
}

class SampleRingTest : public testing::Test {
  protected:
    SampleRingTest() {
        note_surroundings();
        const Guest guest;
        ring_->open(guest, static_cast<std::uint32_t>(gettid()), kPeriod);
    }
    ~SampleRingTest() override { ring_->close(); }

    std::vector<SampleRing::Hit> hits() {
        std::vector<SampleRing::Hit> found;
        lost_ = ring_->drain([&](const SampleRing::Hit& hit) { found.push_back(hit); });
        return found;
    }

    std::unique_ptr<SampleRing> ring_ = std::make_unique<SampleRing>();
    std::uint64_t lost_ = 0;
};

TEST_F(SampleRingTest, TellsWhereItsThreadWas) {
    if (!ring_->is_open()) GTEST_SKIP() << "the kernel refuses the event";
    const std::uint64_t before = cpu_ns(CLOCK_MONOTONIC);
    const base::Ticks begin = base::ticks();
    spin(20 * kMillisecond);
    const base::Ticks end = base::ticks();
    // A virtual machine may give the kernel's event time that it does not give the thread's clock.
    const std::uint64_t most = (cpu_ns(CLOCK_MONOTONIC) - before) / kPeriod;
    const auto found = hits();
    EXPECT_EQ(lost_, 0u);
    std::size_t all = 0, inside = 0;
    base::Ticks passed = 0;
    const auto function = reinterpret_cast<std::uintptr_t>(&spin);
    for (const auto& hit : found) {
        EXPECT_GE(hit.when, passed);
        passed = hit.when;
        if (hit.when < begin || hit.when > end) continue;
        all += 1 + hit.unseen;
        inside += hit.address >= function && hit.address < function + 1'000 ? 1 : 0;
    }
    EXPECT_GE(all, 160u) << "of 200 periods";
    EXPECT_LE(all, most + most / 10);
    EXPECT_GE(inside, all / 2);
    for (const auto& hit : hits())
        EXPECT_GT(hit.when, passed) << "it tells each of them once";
}

TEST_F(SampleRingTest, TakesNoSampleOfASleep) {
    if (!ring_->is_open()) GTEST_SKIP() << "the kernel refuses the event";
    (void)hits();
    const timespec time{0, 20 * kMillisecond};
    nanosleep(&time, nullptr);
    EXPECT_LT(hits().size(), 20u);
}

TEST_F(SampleRingTest, CountsWhatDidNotFit) {
    if (!ring_->is_open()) GTEST_SKIP() << "the kernel refuses the event";
    const Guest guest;
    ring_->open(guest, static_cast<std::uint32_t>(gettid()), 10'000, 2);
    spin(20 * kMillisecond);
    const std::size_t kept = hits().size();
    EXPECT_GE(kept, 2u * 4096 / 64);
    EXPECT_LE(kept, 2u * 4096 / 32);
    EXPECT_GT(lost_, 500u) << "the kernel has told of none of them";
    std::uint64_t unseen = 0;
    spin(kMillisecond / 5);
    for (const auto& hit : hits())
        unseen += hit.unseen;
    EXPECT_LT(lost_, 500u) << "they count once";
    EXPECT_LT(unseen, 500u) << "what was lost was not in the kernel";
}

TEST_F(SampleRingTest, IsNotOpenForAThreadThatDoesNotExist) {
    const Guest guest;
    ring_->open(guest, 0x7fff'fff0, kPeriod);
    EXPECT_FALSE(ring_->is_open());
}

class StreamSamplesTest : public StreamTest {
  protected:
    static bool can_sample() {
        const auto ring = std::make_unique<SampleRing>();
        const Guest guest;
        ring->open(guest, static_cast<std::uint32_t>(gettid()), kPeriod);
        const bool can = ring->is_open();
        ring->close();
        return can;
    }
};

TEST_F(StreamSamplesTest, AStreamTellsWhereItsThreadWas) {
    if (!can_sample()) GTEST_SKIP() << "the kernel refuses the event";
    const auto stream = open();
    stream->take_samples(kPeriod);
    stream->begin_thread();
    const base::Ticks begin = base::ticks();
    spin(5 * kMillisecond);
    stream->close();
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto about = all.of_type(TEFF_REC_SAMPLES);
    ASSERT_EQ(about.size(), 1u);
    EXPECT_EQ(about[0].flags(), TEFF_SAMPLES_BEGIN);
    EXPECT_EQ(about[0].as<teff_rec_samples>().period_ns, kPeriod);
    std::uint32_t samples = 0;
    for (const ReadRecord& record : all.of_type(TEFF_REC_SAMPLE)) {
        const auto& sample = record.as<teff_rec_sample>();
        EXPECT_EQ(sample.period_ns, kPeriod);
        if (record.when() >= begin - origin_.ticks) samples += 1 + sample.unseen;
        if (sample.address != 0) {
            EXPECT_NE(sample.module, 0u);
        }
    }
    EXPECT_GE(samples, 45u);
    EXPECT_FALSE(all.of_type(TEFF_REC_MODULE).empty());
}

TEST_F(StreamSamplesTest, AStreamThatIsNotAskedTellsNothing) {
    const auto stream = open();
    stream->begin_thread();
    spin(kMillisecond);
    stream->close();
    EXPECT_TRUE(read().of_type(TEFF_REC_SAMPLE).empty());
    EXPECT_TRUE(read().of_type(TEFF_REC_SAMPLES).empty());
}

TEST_F(StreamSamplesTest, AStreamSaysThatTheKernelRefused) {
    const auto stream = open();
    stream->take_samples(kPeriod, 1); // no ring is that small
    stream->begin_thread();
    stream->close();
    const ReadStream all = read();
    const auto about = all.of_type(TEFF_REC_SAMPLES);
    ASSERT_EQ(about.size(), 1u);
    EXPECT_EQ(about[0].flags(), TEFF_SAMPLES_REFUSED);
}

} // namespace
} // namespace teff::probe::trace
