// SPDX-License-Identifier: Apache-2.0
#include "sched/locality.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "explore/explore.h"

namespace teff::sched {
namespace {

// Admits all tasks except those in the list, or only those in the list.
struct Allow {
    bool bound = false;
    std::set<const Runnable*> list = {};
    bool constrained() const { return bound; }
    bool operator()(const Runnable* item) const { return list.contains(item) == bound; }
};
const Allow kAll;

constexpr unsigned kNodes = 4;

// Four nodes in a row: distance 16 to a neighbour, 22 to the node beyond, 28 from end to end.
const mem::NearNodes& row() {
    static const auto near = [] {
        auto machine = std::make_unique<topo::NumaNodes>();
        auto found = std::make_unique<mem::NearNodes>();
        mem::Nodes usable;
        machine->count = kNodes;
        usable.count = 0;
        for (unsigned from = 0; from < kNodes; ++from) {
            usable.add(machine->number[from] = static_cast<std::uint16_t>(from));
            for (unsigned to = 0; to < kNodes; ++to)
                machine->distance[from][to] = static_cast<std::uint8_t>(10 + 6 * (from < to ? to - from : from - to));
        }
        arrange(*machine, usable, *found);
        return found;
    }();
    return *near;
}

// A scheduler with one member on each node, `lanes[node]`.
struct Machine {
    static constexpr std::uint32_t kSlots = 32;

    explicit Machine(bool knows_homes = true) {
        if (knows_homes) scheduler.choose(&queues);
        for (unsigned i = 0; i < kNodes; ++i) {
            lanes[i].number = i;
            lanes[i].victim_seed = i + 1;
            lanes[i].limit = kSlots;
            lanes[i].parker.store(&parkers[i]);
            pointers[i] = &lanes[i];
        }
        scheduler.attach(pointers.data(), &bits, kNodes);
        scheduler.resize(kNodes);
    }
    ~Machine() {
        for (Lane& lane : lanes)
            lane.free_memory();
    }

    void put(unsigned node, Runnable& item, unsigned maker = 0) {
        item.priority = way_home(static_cast<Home>(node + 1));
        ASSERT_TRUE(scheduler.make_ready(lanes[maker], &item));
        EXPECT_EQ(item.priority, 0);
    }
    // Takes a task from outside the member's own lane.
    Runnable* take_any(unsigned member, const Allow& allow = kAll, Look look = Look::kBrief) {
        return scheduler.take_any(lanes[member], allow, look);
    }
    Runnable* take(unsigned member, const Allow& allow = kAll, Look look = Look::kThorough) {
        Runnable* const own = scheduler.take_own(lanes[member], allow);
        return own != nullptr ? own : take_any(member, allow, look);
    }
    Runnable* take_unrelated(unsigned member, Look look = Look::kThorough) {
        return scheduler.take_unrelated(lanes[member], kAll, look);
    }

    static unsigned node_of(const Lane& lane) { return ++times_asked, lane.number; }
    static thread_local unsigned times_asked;

    Scheduler scheduler;
    NodeQueues queues{scheduler, row(), node_of, kSlots};
    std::array<sync::Parker, kNodes> parkers;
    std::array<Lane, kNodes> lanes;
    std::array<Lane*, kNodes> pointers;
    std::atomic<std::uint64_t> bits{0};
};
thread_local unsigned Machine::times_asked = 0;

class Locality : public testing::Test, protected Machine {};

TEST_F(Locality, AMemberTakesTheOldestOfItsNode) {
    Runnable items[3];
    for (Runnable& item : items)
        put(1, item);
    for (Runnable& item : items)
        EXPECT_EQ(take_any(1), &item);
    EXPECT_EQ(take_any(1), nullptr);
    EXPECT_TRUE(scheduler.looks_drained());
}

TEST_F(Locality, OnesOwnComeFirstThenTheNodesThenSharedOnesThenMembersThenOtherNodes) {
    Runnable own, of_node, of_member, shared, far;
    ASSERT_TRUE(scheduler.make_ready(lanes[1], &own));
    put(1, of_node);
    ASSERT_TRUE(scheduler.make_ready(lanes[2], &of_member));
    scheduler.make_ready_anywhere(&shared);
    put(3, far);
    for (Runnable* const item : {&own, &of_node, &shared, &of_member, &far})
        EXPECT_EQ(take(1), item);
    EXPECT_EQ(take(1), nullptr);
    EXPECT_TRUE(scheduler.looks_drained());
}

TEST_F(Locality, OtherNodesGiveWhenMoreLiesThereThanTheirMembersNeed) {
    constexpr auto kEnough = static_cast<unsigned>(NodeQueues::kTasksPerHop);
    std::vector<Runnable> items(3 * kEnough + 1);
    for (Runnable& item : items) {
        const auto length = static_cast<unsigned>(&item - items.data());
        for (unsigned node = 1; node < kNodes; ++node) {
            if (length > node * kEnough) continue;
            EXPECT_EQ(take_any(node), nullptr) << length << " tasks, " << node << " hops";
        }
        put(0, item);
    }
    EXPECT_EQ(take_any(3), &items[0]) << "one more than three hops ask for";
    EXPECT_EQ(take_any(3), nullptr);
    EXPECT_EQ(take_any(2), &items[1]);
    EXPECT_EQ(take_any(0), &items[2]);
}

// A thread that never sleeps never makes a thorough look, and perhaps no member is on that node.
TEST_F(Locality, BriefLooksTakeFromOtherNodesInTheEnd) {
    Runnable item;
    put(3, item);
    for (unsigned i = 0; i < NodeQueues::kPatience; ++i)
        EXPECT_EQ(take_any(0), nullptr);
    EXPECT_EQ(take_any(0), &item);
    put(3, item);
    EXPECT_EQ(take_any(0), nullptr) << "it counts anew";
    EXPECT_EQ(take_any(3), &item);
}

TEST_F(Locality, AThoroughLookLeavesNothing) {
    Runnable item, of_member;
    put(3, item);
    ASSERT_TRUE(scheduler.make_ready(lanes[2], &of_member));
    EXPECT_EQ(take_any(0), &of_member);
    EXPECT_EQ(take_any(0), nullptr);
    EXPECT_FALSE(scheduler.looks_drained());
    EXPECT_EQ(take_any(0, kAll, Look::kThorough), &item);
    EXPECT_TRUE(scheduler.looks_drained());
    EXPECT_EQ(take_any(0, kAll, Look::kThorough), nullptr);
}

TEST_F(Locality, TheNearestOfOtherNodesComesFirst) {
    Runnable far, near, nearer;
    put(0, far);
    put(1, near);
    put(2, nearer);
    for (Runnable* const item : {&nearer, &near, &far})
        EXPECT_EQ(take_any(3, kAll, Look::kThorough), item);
}

// The waiter takes such tasks even from short queues; otherwise it would begin unrelated tasks.
TEST_F(Locality, AWaiterGetsTheNewestThatItHasProofOfOnAnyNode) {
    Runnable items[6];
    for (int i = 0; i < 6; ++i)
        put(i < 4 ? 1 : 2, items[i]);
    const Allow some{.bound = true, .list = {&items[0], &items[2], &items[4]}};
    for (const int number : {2, 0, 4})
        EXPECT_EQ(take_any(1, some), &items[number]);
    EXPECT_EQ(take_any(1, some), nullptr);
    EXPECT_EQ(take_any(1, some, Look::kThorough), nullptr);
}

TEST_F(Locality, ABriefLookOfAWaiterAsksAboutSomeAThoroughOneAboutAll) {
    static_assert(NodeQueues::kBriefLook < Machine::kSlots + 1);
    std::vector<Runnable> items(NodeQueues::kBriefLook);
    for (Runnable& item : items)
        put(1, item);
    const Allow oldest{.bound = true, .list = {&items[0]}};
    EXPECT_EQ(take_any(1, oldest), &items[0]) << "the last that it is asked about";
    PriorityQueue* const queue = PriorityQueue::try_make(4);
    Runnable some[3];
    for (Runnable& item : some)
        ASSERT_TRUE(queue->put(&item));
    const Allow first{.bound = true, .list = {&some[0]}};
    EXPECT_EQ(queue->take_newest_if(first, 2), nullptr);
    EXPECT_EQ(queue->take_newest_if(first), &some[0]);
    std::free(queue);
}

TEST_F(Locality, AThoroughLookFindsWhatLiesBehindARefusedTask) {
    Runnable items[2];
    for (Runnable& item : items)
        put(1, item);
    const Allow not_the_first{.list = {&items[0]}};
    EXPECT_EQ(take_any(1, not_the_first), nullptr);
    EXPECT_EQ(take_any(1, not_the_first, Look::kThorough), &items[1]);
}

TEST_F(Locality, ATaskWithAPriorityGoesBeforeThoseWithAHome) {
    Runnable of_node[2], raised;
    put(1, of_node[0]);
    raised.priority = 1;
    ASSERT_TRUE(scheduler.make_ready(lanes[3], &raised));
    EXPECT_EQ(scheduler.highest(), 1);
    EXPECT_EQ(take(1), &raised);
    put(1, of_node[1]);
    ASSERT_TRUE(scheduler.make_ready(lanes[3], &raised));
    EXPECT_EQ(take_unrelated(1), &raised);
    EXPECT_EQ(scheduler.take_unrelated_raised(lanes[1], kAll, Look::kThorough), nullptr);
    EXPECT_EQ(take_unrelated(1), &of_node[0]);
    EXPECT_EQ(take_unrelated(1), &of_node[1]);
}

TEST_F(Locality, UnrelatedTasksAreFoundThereToo) {
    Runnable near, far, own;
    put(2, far);
    put(0, near);
    ASSERT_TRUE(scheduler.make_ready(lanes[0], &own));
    for (Runnable* const item : {&near, &own, &far})
        EXPECT_EQ(take_unrelated(0), item);
}

TEST_F(Locality, WhatFindsNoRoomGoesToItsMakersLaneAndIsRefusedWhereThatIsFull) {
    std::vector<Runnable> items(2 * kSlots);
    for (Runnable& item : items)
        put(2, item, 1);
    Runnable one_more;
    one_more.priority = way_home(3);
    EXPECT_FALSE(scheduler.make_ready(lanes[1], &one_more));
    EXPECT_EQ(one_more.priority, 0) << "it has no home any more";
    one_more.priority = way_home(3);
    scheduler.make_ready_anywhere(&one_more);
    for (unsigned i = 0; i < kSlots; ++i)
        EXPECT_EQ(take_any(2), &items[i]);
    for (unsigned i = 2 * kSlots; i-- > kSlots;)
        EXPECT_EQ(scheduler.take_own(lanes[1], kAll), &items[i]);
    EXPECT_EQ(take_any(2), &one_more) << "where all look";
    EXPECT_TRUE(scheduler.looks_drained());
    put(2, one_more);
    EXPECT_EQ(take_any(1), nullptr) << "a single task does not go to another node: it counts as one again";
    EXPECT_EQ(take_any(2), &one_more);
}

// The child's only thread, which does not sleep, finds all tasks of all queues.
TEST_F(Locality, AChildOfForkKeepsWhatIsQueuedAndPutsNothingOnOtherNodes) {
    Runnable items[3];
    put(2, items[0]);
    scheduler.forget_other_threads(lanes[1], kNodes);
    scheduler.resize(1); // as the child's team
    put(3, items[1], 1);
    EXPECT_EQ(take(1, kAll, Look::kBrief), &items[1]);
    EXPECT_EQ(take(1, kAll, Look::kBrief), &items[0]);
    EXPECT_EQ(take(1), nullptr);
    scheduler.resize(kNodes);
    put(3, items[2], 1);
    EXPECT_EQ(take(1, kAll, Look::kBrief), nullptr) << "from the next region on it is as before";
    EXPECT_EQ(take(3), &items[2]);
}

TEST_F(Locality, TheMemberThatRestsOnTheNodeIsWokenForItsTask) {
    Sleepers& sleepers = scheduler.sleepers();
    for (unsigned member = 0; member < kNodes; ++member) {
        EXPECT_EQ(take(member), nullptr);
        sleepers.enter(member);
    }
    Runnable items[2];
    put(2, items[0]);
    EXPECT_FALSE(sleepers.leave(2)) << "it was taken out";
    EXPECT_TRUE(sleepers.stop_searching());
    put(2, items[1]);
    EXPECT_FALSE(sleepers.leave(0)) << "any other, if that one is awake";
    EXPECT_TRUE(sleepers.leave(1));
    EXPECT_TRUE(sleepers.leave(3));
}

TEST_F(Locality, TasksOfOtherNodesAreLeftOnceToAMemberUnderWay) {
    Sleepers& sleepers = scheduler.sleepers();
    EXPECT_EQ(take(2), nullptr);
    sleepers.enter(2);
    Runnable items[3];
    put(2, items[0]); // that member now counts as a searcher
    sleepers.enter(0);
    EXPECT_EQ(take_any(0, kAll, Look::kThorough), nullptr);
    EXPECT_EQ(take_any(0, kAll, Look::kThorough), &items[0]) << "once";
    put(2, items[1]);
    EXPECT_EQ(take_any(0, kAll, Look::kThorough), nullptr) << "and once again after it has found one";
    EXPECT_EQ(take_any(3, {.bound = true, .list = {&items[1]}}, Look::kThorough), &items[1])
        << "a waiter that may run its descendants alone takes them";
    EXPECT_FALSE(sleepers.leave(2));
    EXPECT_TRUE(sleepers.stop_searching());
    put(3, items[2]);
    EXPECT_FALSE(sleepers.leave(0)) << "it was woken for that";
    EXPECT_TRUE(!sleepers.stop_searching());
    EXPECT_EQ(take_any(1, kAll, Look::kThorough), &items[2]) << "nobody is under way";
}

// If no task has a home, each look of each member has the same result as without node queues, from
// the same victims, and the member's node is determined only before it would sleep.
TEST(WithoutHomes, EachDecisionIsThatOfWorkStealing) {
    constexpr unsigned kSteps = 20'000;
    struct Side {
        explicit Side(bool knows_homes) : machine(knows_homes), items(512) {}
        int number_of(const Runnable* item) const {
            return item == nullptr ? -1 : static_cast<int>(item - items.data());
        }
        Machine machine;
        std::vector<Runnable> items;
    };
    Side stealing(false), locality(true);
    std::vector<int> idle(512);
    for (int i = 0; i < 512; ++i)
        idle[static_cast<std::size_t>(i)] = i;
    std::mt19937 draw(1);
    unsigned taken = 0, brief = 0;
    for (unsigned step = 0; step < kSteps; ++step) {
        const unsigned member = draw() % kNodes, what = draw() % 8;
        const Look look = draw() % 4 == 0 ? Look::kThorough : Look::kBrief;
        const int item = idle.empty() ? -1 : idle.back();
        const std::int32_t priority = draw() % 5 == 0 ? 2 : 0;
        const auto act = [&](Side& side) {
            if (what < 4 && item >= 0) {
                Runnable& made = side.items[static_cast<std::size_t>(item)];
                made.priority = priority;
                if (!side.machine.scheduler.make_ready(side.machine.lanes[member], &made))
                    side.machine.scheduler.make_ready_anywhere(&made);
                return -2;
            }
            if (what == 4) return side.number_of(side.machine.take_unrelated(member, look));
            return side.number_of(side.machine.take(member, kAll, look));
        };
        const int one = act(stealing);
        Machine::times_asked = 0;
        ASSERT_EQ(act(locality), one) << "step " << step;
        ASSERT_LE(Machine::times_asked, look == Look::kThorough ? 1u : 0u);
        if (one == -2) idle.pop_back();
        if (one >= 0) idle.push_back(one);
        taken += one >= 0;
        brief += look == Look::kBrief;
        for (unsigned i = 0; i < kNodes; ++i)
            ASSERT_EQ(locality.machine.lanes[i].victim_seed, stealing.machine.lanes[i].victim_seed)
                << "as many searches";
    }
    EXPECT_GT(taken, kSteps / 4);
    EXPECT_GT(brief, kSteps / 4);
}

TEST(WithoutHomes, TheDefaultKnowsNone) {
    EXPECT_FALSE(Machine(false).scheduler.knows_homes());
    EXPECT_TRUE(Machine(true).scheduler.knows_homes());
}

TEST(LocalityThreads, RunEachItemOnce) {
    constexpr unsigned kItems = 5'000;
    struct Job : Runnable {
        std::atomic<int> runs{0};
    };
    Machine machine;
    std::vector<Job> jobs(kNodes * kItems);
    std::atomic<unsigned> left{kNodes * kItems};
    const auto run = [&](Runnable* item) {
        static_cast<Job*>(item)->runs.fetch_add(1);
        left.fetch_sub(1);
    };
    std::vector<std::thread> threads;
    for (unsigned me = 0; me < kNodes; ++me)
        threads.emplace_back([&, me] {
            for (unsigned i = 0; i < kItems; ++i) {
                Job& job = jobs[me * kItems + i];
                job.priority = way_home(static_cast<Home>(i * 7 % (kNodes + 1)));
                if (!machine.scheduler.make_ready(machine.lanes[me], &job)) run(&job);
                if (i % 3 == 0)
                    if (Runnable* item = machine.take(me, kAll, Look::kBrief)) run(item);
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

// Two threads put the first tasks of a node at the same time. Both make a queue, one queue is used,
// and it contains both tasks.
TEST(LocalityThreads, AQueueThatTwoMakeIsOne) {
    using Explored = NodeQueuesOver<explore::Atomics>;
    const explore::Result result = explore::run(
        [] {
            struct State {
                SchedulerOver<explore::Atomics> scheduler;
                Explored queues{scheduler, row(), [](const Explored::Lane&) { return 0u; }, 2};
                Explored::Lane lane;
                Runnable items[2] = {{.priority = way_home(2)}, {.priority = way_home(2)}};
            };
            auto state = std::make_shared<State>();
            auto maker = [=](unsigned i) { return [=] { state->queues.put_anywhere(&state->items[i]); }; };
            return explore::Program({maker(0), maker(1)}, [=] {
                unsigned found = 0;
                while (state->queues.take(state->lane, Waiter(kAll), Look::kThorough, Sought::kOnTop) != nullptr)
                    ++found;
                EXPLORE_CHECK(found == 2);
            });
        },
        {.preemptions = 2});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

} // namespace
} // namespace teff::sched
