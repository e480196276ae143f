// SPDX-License-Identifier: Apache-2.0
#include "team/ids.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "team/pool.h"

namespace teff::team {

// Sets the position in one worker's numbers.
struct IdsForTests {
    static Ids at(std::uint64_t last) {
        Ids ids;
        ids.last_ = last;
        return ids;
    }
};

namespace {

constexpr std::uint64_t kStream7 = std::uint64_t{7} << 48, kStream8 = std::uint64_t{8} << 48;
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

TEST(Ids, OfAWorkerWithAStreamCountUpFromItsNumber) {
    Ids ids;
    ids.begin(7);
    for (std::uint64_t ordinal = 1; ordinal < 100; ++ordinal)
        EXPECT_EQ(ids.next(), kStream7 | ordinal);
}

TEST(Ids, OfAStreamGoOnWhenTheirLowerHalfIsOver) {
    Ids ids = IdsForTests::at(kStream7 | 0xffff'fffe);
    EXPECT_EQ(ids.next(), kStream7 | 0xffff'ffff);
    EXPECT_EQ(ids.next(), kStream7 | 0x1'0000'0000);
    EXPECT_EQ(ids.next(), kStream7 | 0x1'0000'0001);
}

TEST(Ids, OfAStreamDoNotRunIntoTheNextStreams) {
    Ids ids = IdsForTests::at(kStream8 - 1);
    const std::uint64_t next = ids.next();
    EXPECT_GT(next, kTopBit);
    EXPECT_EQ(ids.next(), next + 1);
}

TEST(Ids, OfARangeGoOnInAnother) {
    Ids ids;
    ids.begin(TEFF_TRACE_STREAMS);
    const std::uint64_t first = ids.next();
    EXPECT_GT(first, kTopBit);
    EXPECT_EQ(first & 0xffff'ffff, 1u);
    ids = IdsForTests::at(first | 0xffff'ffff);
    const std::uint64_t next = ids.next();
    EXPECT_GT(next, kTopBit);
    EXPECT_EQ(next & 0xffff'ffff, 1u);
    EXPECT_NE(next >> 32, first >> 32);
}

// More workers than the bits of a stream's number can distinguish.
TEST(Ids, OfMoreThan65536WorkersDiffer) {
    std::vector<Worker*> workers(70'000);
    std::set<std::uint64_t> tasks, instances;
    for (Worker*& worker : workers) { // all exist at the same time
        worker = &make_worker();
        EXPECT_TRUE(tasks.insert(worker->task_ids.next()).second) << "worker " << worker->number;
        EXPECT_TRUE(instances.insert(worker->instance_ids.next()).second) << "worker " << worker->number;
    }
    for (Worker* worker : workers)
        retire_worker(*worker);
}

} // namespace
} // namespace teff::team
