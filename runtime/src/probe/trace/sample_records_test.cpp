// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/sample_records.h"

#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>

namespace teff::probe::trace {
namespace {

using Kind = SampleRecords::Kind;
using Sample = SampleRecords::Sample;

// A ring as the kernel fills it.
class FakeSampleRing {
  public:
    FakeSampleRing& record(std::uint32_t type, std::uint16_t misc, std::initializer_list<std::uint64_t> words) {
        const perf_event_header head{type, misc, static_cast<std::uint16_t>(8 * (words.size() + 1))};
        std::memcpy(ring_ + until_, &head, sizeof head);
        until_ += sizeof head;
        for (const std::uint64_t value : words) {
            std::memcpy(ring_ + until_, &value, sizeof value);
            until_ += sizeof value;
        }
        return *this;
    }
    FakeSampleRing& hit(std::uint16_t mode, std::initializer_list<std::uint64_t> words) {
        return record(PERF_RECORD_SAMPLE, mode, words);
    }

    void expect(std::initializer_list<Sample> samples) const {
        SampleRecords records({ring_, sizeof ring_, 0, until_});
        for (const Sample& expected : samples) {
            const Sample found = records.next();
            EXPECT_EQ(found.kind, expected.kind);
            EXPECT_EQ(found.in_kernel, expected.in_kernel);
            EXPECT_EQ(found.address, expected.address);
            EXPECT_EQ(found.ns, expected.ns);
            EXPECT_EQ(found.count_ns, expected.count_ns);
            EXPECT_EQ(found.lost, expected.lost);
        }
        EXPECT_EQ(records.next().kind, Kind::kEnd);
    }

  private:
    alignas(8) char ring_[512] = {};
    std::uint64_t until_ = 0;
};

constexpr std::uint16_t kUser = PERF_RECORD_MISC_USER, kKernel = PERF_RECORD_MISC_KERNEL;
constexpr std::uint64_t kOwn = PERF_CONTEXT_USER;

TEST(SampleRecords, SayWhereTheThreadWas) {
    FakeSampleRing().hit(kUser, {0x400, 10, 1'000}).expect({{Kind::kHit, false, 0x400, 10, 1'000, 0}});
    FakeSampleRing().expect({});
}

TEST(SampleRecords, OfTheKernelSayWhereTheThreadHadLeftItsOwnCode) {
    FakeSampleRing()
        .hit(kKernel, {0xffff'0000, 10, 1'000, 2, kOwn, 0x400})
        .hit(kUser, {0x500, 20, 2'000, 2, kOwn, 0x500})
        .hit(kKernel, {0xffff'0000, 30, 3'000, 0})
        .expect({{Kind::kHit, true, 0x400, 10, 1'000, 0},
                 {Kind::kHit, false, 0x500, 20, 2'000, 0},
                 {Kind::kHit, true, 0, 30, 3'000, 0}});
}

TEST(SampleRecords, BelieveNoLengthOfACallChain) {
    FakeSampleRing().hit(kKernel, {1, 10, 1'000, 2, kOwn}).expect({{Kind::kHit, true, 0, 10, 1'000, 0}});
    FakeSampleRing().hit(kKernel, {1, 10, 1'000, 2}).expect({{Kind::kHit, true, 0, 10, 1'000, 0}});
}

TEST(SampleRecords, TellWhatWasLost) {
    FakeSampleRing()
        .record(PERF_RECORD_LOST, 0, {7, 12})
        .record(PERF_RECORD_THROTTLE, 0, {1, 2, 3})
        .record(PERF_RECORD_UNTHROTTLE, 0, {1, 2, 3})
        .hit(kUser, {0x400, 10})
        .expect({{.kind = Kind::kLost, .lost = 12}, {.kind = Kind::kLost}});
}

} // namespace
} // namespace teff::probe::trace
