// SPDX-License-Identifier: Apache-2.0
#include "sched/round_robin.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "explore/explore.h"

namespace teff::sched {
namespace {

// Admits all tasks, or only the tasks in the list.
struct Allow {
    bool bound = false;
    std::set<const Runnable*> list = {};
    bool constrained() const { return bound; }
    bool operator()(const Runnable* item) const { return !bound || list.contains(item); }
};
const Allow kAll;

constexpr unsigned kMembers = 5;

// Five members. With the default policy, their searches would start at random members.
struct Machine {
    static constexpr std::uint32_t kSlots = 16;

    Machine() {
        scheduler.choose(&policy);
        for (unsigned i = 0; i < kMembers; ++i) {
            lanes[i].number = i;
            lanes[i].victim_seed = ~i;
            lanes[i].limit = kSlots;
            pointers[i] = &lanes[i];
        }
        scheduler.attach(pointers.data(), &bits, kMembers);
        scheduler.resize(kMembers);
    }
    ~Machine() {
        for (Lane& lane : lanes)
            lane.free_memory();
    }

    Runnable* steal(unsigned thief, const Allow& allow = kAll) {
        return scheduler.take_any(lanes[thief], allow, Look::kThorough);
    }
    Runnable* take(unsigned member) {
        Runnable* const own = scheduler.take_own(lanes[member], kAll);
        return own != nullptr ? own : steal(member);
    }

    Scheduler scheduler;
    RoundRobin policy{scheduler};
    std::array<Lane, kMembers> lanes;
    std::array<Lane*, kMembers> pointers;
    std::atomic<std::uint64_t> bits{0};
};

class RoundRobinTest : public testing::Test, protected Machine {
  protected:
    // Each member makes `each` tasks ready.
    void fill(unsigned each) {
        for (unsigned i = 0; i < each; ++i)
            for (unsigned member = 0; member < kMembers; ++member)
                ASSERT_TRUE(scheduler.make_ready(lanes[member], &items_[member][i]));
    }
    // Returns the number of the member that has made the task ready.
    int owner_of(const Runnable* item) const {
        for (unsigned member = 0; member < kMembers; ++member)
            for (const Runnable& each : items_[member])
                if (item == &each) return static_cast<int>(member);
        return -1;
    }

    Runnable items_[kMembers][4];
};

TEST_F(RoundRobinTest, AThiefAsksOneMemberAfterTheOtherFromTheOneBehindItself) {
    fill(2);
    for (const int victim : {3, 4, 0, 1, 3, 4, 0, 1})
        EXPECT_EQ(owner_of(steal(2)), victim);
    EXPECT_EQ(steal(2), nullptr) << "its own are not stolen";
}

TEST_F(RoundRobinTest, TheNextSearchStartsBehindTheLastVictim) {
    ASSERT_TRUE(scheduler.make_ready(lanes[3], &items_[3][0]));
    EXPECT_EQ(owner_of(steal(0)), 3);
    EXPECT_EQ(steal(0), nullptr) << "which a search in vain does not change";
    fill(3);
    for (const int victim : {4, 1, 2, 3, 4})
        EXPECT_EQ(owner_of(steal(0)), victim);
    EXPECT_EQ(owner_of(steal(4)), 0) << "others' searches are their own";
}

TEST_F(RoundRobinTest, AMemberThatLeftTheTeamIsNoBeginning) {
    ASSERT_TRUE(scheduler.make_ready(lanes[4], &items_[4][0]));
    EXPECT_EQ(owner_of(steal(1)), 4);
    scheduler.resize(3);
    for (unsigned member = 0; member < 3; ++member)
        ASSERT_TRUE(scheduler.make_ready(lanes[member], &items_[member][0]));
    EXPECT_EQ(owner_of(steal(1)), 2);
    EXPECT_EQ(owner_of(steal(1)), 0);
}

TEST_F(RoundRobinTest, AVictimOfATaskWithAPriorityIsAVictim) {
    items_[2][0].priority = 1;
    for (const unsigned member : {1, 2, 3})
        ASSERT_TRUE(scheduler.make_ready(lanes[member], &items_[member][0]));
    const Allow raised{.bound = true, .list = {&items_[2][0]}};
    EXPECT_EQ(steal(0, raised), &items_[2][0]);
    EXPECT_EQ(owner_of(steal(0)), 3);
}

TEST_F(RoundRobinTest, UnrelatedTasksAreStolenInTheSameOrder) {
    fill(1);
    EXPECT_EQ(owner_of(scheduler.take_own(lanes[2], kAll)), 2);
    for (const int victim : {3, 4, 0, 1})
        EXPECT_EQ(owner_of(scheduler.take_unrelated(lanes[2], kAll, Look::kBrief)), victim);
}

TEST_F(RoundRobinTest, AllElseIsAsByDefault) {
    EXPECT_FALSE(scheduler.knows_homes()) << "nobody asks where data lie";
    std::vector<Runnable> items(kSlots + 2);
    for (unsigned i = 0; i < kSlots; ++i)
        ASSERT_TRUE(scheduler.make_ready(lanes[1], &items[i]));
    EXPECT_FALSE(scheduler.make_ready(lanes[1], &items[kSlots])) << "a full deque";
    items[kSlots].priority = 2;
    ASSERT_TRUE(scheduler.make_ready(lanes[1], &items[kSlots]));
    scheduler.make_ready_anywhere(&items[kSlots + 1]);
    EXPECT_EQ(scheduler.highest(), 2);
    EXPECT_EQ(scheduler.take_own(lanes[1], kAll), &items[kSlots]);
    EXPECT_EQ(scheduler.take_own(lanes[1], kAll), &items[kSlots - 1]) << "the newest";
    scheduler.forget_other_threads(lanes[0], kMembers);
    scheduler.attach(pointers.data(), &bits, kMembers);
    for (unsigned i = kSlots; i-- > 0;)
        EXPECT_NE(steal(0), nullptr);
    EXPECT_TRUE(scheduler.looks_drained());
}

TEST(RoundRobinThreads, RunEachItemOnce) {
    constexpr unsigned kItems = 5'000;
    struct Job : Runnable {
        std::atomic<int> runs{0};
    };
    Machine machine;
    std::vector<Job> jobs(kMembers * kItems);
    std::atomic<unsigned> left{kMembers * kItems};
    const auto run = [&](Runnable* item) {
        static_cast<Job*>(item)->runs.fetch_add(1);
        left.fetch_sub(1);
    };
    std::vector<std::thread> threads;
    for (unsigned me = 0; me < kMembers; ++me)
        threads.emplace_back([&, me] {
            for (unsigned i = 0; i < kItems; ++i) {
                Job& job = jobs[me * kItems + i];
                job.priority = i % 100 == 0 ? 2 : 0;
                if (!machine.scheduler.make_ready(machine.lanes[me], &job)) run(&job);
                if (i % 3 == 0)
                    if (Runnable* item = machine.take(me)) run(item);
            }
            while (left.load() > 0)
                if (Runnable* item = machine.take(me)) run(item);
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const Job& job : jobs)
        ASSERT_EQ(job.runs.load(), 1);
    EXPECT_TRUE(machine.scheduler.looks_drained());
}

// Two thieves begin at the same victim, while its owner takes tasks, too. Each of the two tasks is
// taken once, and a thorough look leaves none.
TEST(RoundRobinThreads, ThievesAtOneVictimTakeDifferentTasks) {
    using explore::Atomics;
    const explore::Result result = explore::run(
        [] {
            struct State {
                State() {
                    scheduler.choose(&policy);
                    for (unsigned i = 0; i < 3; ++i) {
                        lanes[i].number = i;
                        lanes[i].victim_seed = ~i;
                        pointers[i] = &lanes[i];
                    }
                    lanes[2].limit = 2;
                    scheduler.attach(pointers, &bits, 3);
                    scheduler.resize(3);
                    for (Runnable& item : items)
                        EXPLORE_CHECK(scheduler.make_ready(lanes[2], &item));
                }
                ~State() {
                    for (auto& lane : lanes)
                        lane.free_memory();
                }
                SchedulerOver<Atomics> scheduler;
                RoundRobinOver<Atomics> policy{scheduler};
                LaneOver<Atomics> lanes[3];
                LaneOver<Atomics>* pointers[3];
                Atomics::atomic<std::uint64_t> bits{0};
                Runnable items[2];
                unsigned taken = 0;
            };
            auto state = std::make_shared<State>();
            auto thief = [=](unsigned number) {
                return [=] {
                    state->lanes[number].victim_seed = 1; // so that both begin at the third member
                    const Waiter all(kAll);
                    if (state->policy.take(state->lanes[number], all, Look::kBrief, Sought::kOnTop) != nullptr)
                        ++state->taken;
                };
            };
            auto owner = [=] {
                if (state->scheduler.take_own(state->lanes[2], kAll) != nullptr) ++state->taken;
            };
            return explore::Program({owner, thief(0), thief(1)}, [=] {
                while (state->policy.take(state->lanes[0], Waiter(kAll), Look::kThorough, Sought::kOnTop) != nullptr)
                    ++state->taken;
                EXPLORE_CHECK(state->taken == 2);
                EXPLORE_CHECK(state->scheduler.looks_drained());
            });
        },
        {.preemptions = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

} // namespace
} // namespace teff::sched
