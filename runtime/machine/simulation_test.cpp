// SPDX-License-Identifier: Apache-2.0
#include "machine/simulation.h"

#include <gtest/gtest.h>
#include <string>

#include "machine/atomics.h"
#include "sync/mutex.h"
#include "sync/parker.h"

namespace teff::machine {
namespace {

// Two nodes of two cores. To read a line takes 10 cycles from a core of the same node and 50 from
// the other node; to change it takes 20 and 70. A hit takes 1 cycle, or 5 for a change.
Description four_cores() {
    Description d;
    d.clock_mhz = 1000;
    d.nodes = d.cores_per_node = 2;
    d.links = {{0, 1, kCycle}};
    d.load = {.own = 10 * kCycle, .remote = 40 * kCycle, .hop = 10 * kCycle};
    d.atomic = {.own = 20 * kCycle, .remote = 60 * kCycle, .hop = 10 * kCycle};
    d.cached = kCycle;
    d.cached_atomic = 5 * kCycle;
    d.wake = 100 * kCycle;
    d.sleep = 1000 * kCycle;
    return d;
}

class MachineLines : public testing::Test {
  protected:
    std::uint64_t touch(unsigned core, Touch kind, Time at_cycle) {
        return lines_.touch(core, &word_, kind, at_cycle * kCycle) / kCycle;
    }

    alignas(64) int word_ = 0;
    Description description_ = four_cores();
    Topology topology_{description_};
    Lines lines_{description_, topology_};
};

TEST_F(MachineLines, WhoHasTheLinePaysAHit) {
    EXPECT_EQ(touch(0, Touch::load, 0), 1u);
    EXPECT_EQ(touch(0, Touch::update, 100), 105u);
    EXPECT_EQ(touch(0, Touch::load, 200), 201u);
    EXPECT_EQ(touch(0, Touch::store, 300), 301u);
    EXPECT_EQ(lines_.transfers(), 0u);
}

TEST_F(MachineLines, AChangedLineComesFromWhoChangedIt) {
    (void)touch(0, Touch::update, 0);
    EXPECT_EQ(touch(1, Touch::load, 100), 110u); // the same node
    EXPECT_EQ(touch(2, Touch::load, 200), 250u);
    EXPECT_EQ(touch(2, Touch::load, 300), 301u);   // it has a copy now
    EXPECT_EQ(touch(2, Touch::update, 400), 470u); // the copies of others go
    EXPECT_EQ(touch(0, Touch::load, 500), 550u);
}

TEST_F(MachineLines, ALineIsHadByOneAfterTheOther) {
    (void)touch(0, Touch::update, 0);
    EXPECT_EQ(touch(2, Touch::update, 100), 170u);
    EXPECT_EQ(touch(0, Touch::update, 100), 240u); // waits until the other has it
    EXPECT_EQ(touch(1, Touch::update, 100), 260u);
}

TEST_F(MachineLines, AStoreDoesNotWait) {
    (void)touch(0, Touch::update, 0);
    EXPECT_EQ(touch(2, Touch::store, 100), 101u);
    EXPECT_EQ(touch(0, Touch::load, 101), 220u); // but who reads it does: there at 170, and back in 50
}

class MachineSimulation : public testing::Test {
  protected:
    bool run(std::vector<std::function<void()>> parts) { return simulation_.run(parts); }
    static Simulation& active() { return *Simulation::active(); }

    Description description_ = four_cores();
    Topology topology_{description_};
    Simulation simulation_{description_, topology_};
    std::string order_;
};

TEST_F(MachineSimulation, TheCoreWithTheEarliestTimeGoesFirstAndOfEqualsTheFirst) {
    const auto steps = [&](char name, Time step) {
        return [=, this] {
            for (int i = 0; i < 3; ++i) {
                active().await_turn();
                order_ += name;
                active().pass(step);
            }
        };
    };
    ASSERT_TRUE(run({steps('a', 30), steps('b', 20), steps('c', 100)}));
    EXPECT_EQ(order_, "abcbabacc"); // a at 0, 30, 60; b at 0, 20, 40; c at 0, 100, 200
    EXPECT_EQ(simulation_.end(), 300u);
}

TEST_F(MachineSimulation, ASleeperGoesOnWhenItIsWoken) {
    int word = 0;
    Time woken_at = 0;
    ASSERT_TRUE(run({[&] {
                         active().sleep(&word);
                         woken_at = active().now();
                     },
                     [&] {
                         active().pass(5000 * kCycle);
                         active().wake(&word, 1);
                     }}));
    EXPECT_EQ(woken_at, (5000 + 100 + 1000) * kCycle);
}

TEST_F(MachineSimulation, ASleepersLimitEndsItsSleep) {
    int word = 0;
    ASSERT_TRUE(run({[&] { active().sleep(&word, 700); }}));
    EXPECT_EQ(simulation_.end(), 700u);
}

TEST_F(MachineSimulation, AWokenSleepersLimitIsForgotten) {
    int word = 0;
    ASSERT_TRUE(run({[&] {
                         active().sleep(&word, 10'000 * kCycle);
                         active().pass(50'000 * kCycle);
                     },
                     [&] { active().wake(&word, 1); }}));
    EXPECT_EQ(simulation_.end(), (100 + 1000 + 50'000) * kCycle);
}

TEST_F(MachineSimulation, SleepersWakeInTheOrderInWhichTheyFellAsleep) {
    int word = 0;
    const auto sleeper = [&](char name, Time at) {
        return [=, this, &word] {
            active().pass(at);
            active().await_turn();
            active().sleep(&word);
            order_ += name;
        };
    };
    ASSERT_TRUE(run({sleeper('a', 30), sleeper('b', 10), sleeper('c', 20), [&] {
                         active().pass(kCycle);
                         for (int i = 0; i < 3; ++i)
                             active().wake(&word, 1);
                     }}));
    EXPECT_EQ(order_, "bca");
}

TEST_F(MachineSimulation, CoresThatSleepForEverAreToldOf) {
    int word = 0;
    EXPECT_FALSE(run({[&] { active().sleep(&word); }, [] {}}));
}

// The runtime's own protocols, from their source.

TEST_F(MachineSimulation, AMutexLetsOneInAtATime) {
    sync::MutexOver<Atomics> mutex;
    int inside = 0, visits = 0;
    const auto visit = [&] {
        for (int i = 0; i < 50; ++i) {
            const sync::MutexGuard guard(mutex);
            EXPECT_EQ(++inside, 1);
            active().pass(20'000 * kCycle); // long enough for others to sleep
            active().await_turn();
            ++visits;
            --inside;
        }
    };
    ASSERT_TRUE(run({visit, visit, visit, visit}));
    EXPECT_EQ(visits, 200);
    EXPECT_GE(simulation_.end(), 200 * 20'000 * kCycle);
}

TEST_F(MachineSimulation, AParkedCoreIsUnparked) {
    sync::ParkerOver<Atomics> parker;
    ASSERT_TRUE(run({[&] { parker.park(); },
                     [&] {
                         active().pass(50'000 * kCycle);
                         parker.unpark(TEFF_WAKE_EVENT);
                     }}));
    EXPECT_GE(simulation_.end(), 51'000 * kCycle);
}

} // namespace
} // namespace teff::machine
