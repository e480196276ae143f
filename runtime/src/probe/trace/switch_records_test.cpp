// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/switch_records.h"

#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <linux/perf_event.h>

namespace teff::probe::trace {
namespace {

using Kind = SwitchRecords::Kind;

// A ring as the kernel fills it.
class FakeRing {
  public:
    explicit FakeRing(std::uint64_t from = 0) : from(from), until(from) {}

    FakeRing& word(std::uint64_t value) {
        std::memcpy(ring_ + until % sizeof ring_, &value, sizeof value);
        until += sizeof value;
        return *this;
    }
    FakeRing& header(std::uint32_t type, std::uint16_t misc, std::uint16_t size) {
        const perf_event_header head{type, misc, size};
        std::uint64_t value;
        std::memcpy(&value, &head, sizeof value);
        return word(value);
    }
    FakeRing& out(std::uint64_t ns, std::uint16_t more = 0) {
        const auto misc = static_cast<std::uint16_t>(PERF_RECORD_MISC_SWITCH_OUT | more);
        return header(PERF_RECORD_SWITCH, misc, 16).word(ns);
    }
    FakeRing& in(std::uint64_t ns) { return header(PERF_RECORD_SWITCH, 0, 16).word(ns); }
    FakeRing& lost() { return header(PERF_RECORD_LOST, 0, 32).word(1).word(7).word(0); }

    void expect(std::initializer_list<SwitchRecords::Switch> switches) const {
        SwitchRecords records({ring_, sizeof ring_, from, until});
        for (const auto& expected : switches) {
            const auto found = records.next();
            EXPECT_EQ(found.kind, expected.kind);
            EXPECT_EQ(found.ns, expected.ns);
        }
        EXPECT_EQ(records.next().kind, Kind::kEnd);
    }

    std::uint64_t from, until;

  private:
    char ring_[128] = {};
};

constexpr std::uint16_t kPreempted = PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

TEST(SwitchRecords, SayWhetherTheThreadSleptOrLostItsProcessor) {
    FakeRing()
        .out(10)
        .in(20)
        .out(30, kPreempted)
        .in(45)
        .expect({{Kind::kSlept, 10}, {Kind::kBack, 20}, {Kind::kPreempted, 30}, {Kind::kBack, 45}});
    FakeRing().expect({});
}

TEST(SwitchRecords, GoOnAtTheRingsBeginning) {
    FakeRing(128 * 5 + 104).out(10).lost().in(20).expect({{Kind::kSlept, 10}, {Kind::kLost, 0}, {Kind::kBack, 20}});
    FakeRing(120).out(10).in(20).expect({{Kind::kSlept, 10}, {Kind::kBack, 20}});
}

TEST(SwitchRecords, OfOtherTypesAreSkipped) {
    FakeRing ring;
    ring.header(PERF_RECORD_THROTTLE, 0, 32).word(1).word(2).word(3).in(20).expect({{Kind::kBack, 20}});
}

TEST(SwitchRecords, ThatAreTornEndTheRing) {
    FakeRing().in(5).header(PERF_RECORD_SWITCH, 0, 0).in(20).expect({{Kind::kBack, 5}, {Kind::kLost, 0}});
    FakeRing().in(5).header(PERF_RECORD_SWITCH, 0, 24).word(9).expect({{Kind::kBack, 5}, {Kind::kLost, 0}});
    FakeRing().in(5).header(PERF_RECORD_SWITCH, 0, 12).word(9).expect({{Kind::kBack, 5}, {Kind::kLost, 0}});
    FakeRing().header(PERF_RECORD_SWITCH, 0, 8).in(7).expect({{Kind::kBack, 7}});
}

} // namespace
} // namespace teff::probe::trace
