// SPDX-License-Identifier: Apache-2.0
#include "sched/scheduler.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace teff::sched {
namespace {

// Admits all tasks, no task, or only the waiter's own descendants, which `proof` lists.
struct Allow {
    bool answer = true;
    bool bound = false;
    std::set<const Runnable*> proof = {};
    bool constrained() const { return bound; }
    bool operator()(const Runnable* item) const { return bound ? proof.contains(item) : answer; }
};
const Allow kAllow;

// The lanes of a team with small deques and parkers, but without Tasks, which the policy does not
// know.
struct Bench {
    static constexpr std::uint32_t kSlots = 4;

    explicit Bench(unsigned count) : lanes(count), parkers(count) {
        for (unsigned i = 0; i < count; ++i) {
            lanes[i].number = i;
            lanes[i].victim_seed = i + 1;
            lanes[i].limit = kSlots;
            lanes[i].parker.store(&parkers[i]);
            pointers.push_back(&lanes[i]);
        }
        policy.attach(pointers.data(), bits.data(), count);
        policy.resize(count);
    }

    ~Bench() {
        for (Lane& lane : lanes)
            lane.free_memory();
    }

    // take: takes a task of the lane's own member. steal: takes any task.
    template <class Any> Runnable* take(Lane& lane, const Any& allow) { return policy.take_own(lane, allow); }
    Runnable* steal(Lane& lane, const Allow& allow, Look look = Look::kThorough) {
        Runnable* own = policy.take_own(lane, allow);
        return own != nullptr ? own : policy.take_any(lane, allow, look);
    }

    // Returns true if a thread has unparked this member. Does not wait long.
    bool has_token(unsigned member) {
        const std::uint64_t begin = base::monotonic_ns();
        parkers[member].park_for(20'000'000);
        return base::monotonic_ns() - begin < 15'000'000;
    }

    std::vector<Lane> lanes;
    std::vector<sync::Parker> parkers;
    std::vector<Lane*> pointers;
    std::array<std::atomic<std::uint64_t>, 2> bits{};
    Scheduler policy;
};

TEST(Scheduler, TheOwnerTakesItsNewestAndThievesItsOldest) {
    Bench bench(2);
    Runnable items[3];
    for (Runnable& item : items)
        ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &item));
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &items[2]);
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &items[0]);
    EXPECT_EQ(bench.take(bench.lanes[1], kAllow), nullptr) << "an empty deque of one's own is no reason to steal";
    EXPECT_FALSE(bench.policy.looks_drained());
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &items[1]);
    EXPECT_TRUE(bench.policy.looks_drained());
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), nullptr);
}

TEST(Scheduler, AMemberAloneFindsItsOwn) {
    Bench bench(1);
    Runnable item;
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &item));
    const Mark outer = Scheduler::enter(bench.lanes[0]);
    EXPECT_EQ(bench.steal(bench.lanes[0], Allow{.bound = true, .proof = {&item}}), nullptr)
        << "nobody steals from itself";
    Scheduler::leave(bench.lanes[0], outer);
    EXPECT_EQ(bench.steal(bench.lanes[0], kAllow), &item);
}

// A policy that replaces the default. It gets every task and every request, and the default's
// queues stay empty.
class Stack final : public Policy {
  public:
    Stack() : Policy(Stands::kInPlaceOfDefault) {}
    void resize(unsigned lanes) override { lanes_ = lanes; }
    bool put(Lane&, Runnable* item) override {
        if (items_.size() == 2) return false;
        items_.push_back(item);
        return true;
    }
    void put_anywhere(Runnable* item) override { items_.insert(items_.begin(), item); }
    Runnable* take(Lane&, const Waiter& waiter, Look, Sought) override {
        if (items_.empty() || !waiter(items_.back())) return nullptr;
        Runnable* const item = items_.back();
        items_.pop_back();
        return item;
    }
    bool looks_drained() const override { return items_.empty(); }
    void forget_other_threads(Lane&) override { forgotten_ = true; }

    unsigned lanes_ = 0;
    bool forgotten_ = false;
    std::vector<Runnable*> items_;
};

TEST(Scheduler, AnotherPolicyGetsEveryTaskAndEveryQuestion) {
    std::array<Lane, 2> lanes;
    std::array<Lane*, 2> pointers{&lanes[0], &lanes[1]};
    std::atomic<std::uint64_t> bits{0};
    Stack stack;
    Scheduler scheduler;
    scheduler.choose(&stack);
    scheduler.attach(pointers.data(), &bits, 2);
    scheduler.resize(2);
    EXPECT_EQ(stack.lanes_, 2u);
    ASSERT_TRUE(scheduler.open(lanes[0], 8));
    EXPECT_FALSE(lanes[0].has_queue());
    Runnable items[3];
    items[1].priority = 3;
    EXPECT_TRUE(scheduler.make_ready(lanes[0], &items[0]));
    EXPECT_TRUE(scheduler.make_ready(lanes[0], &items[1]));
    EXPECT_FALSE(scheduler.make_ready(lanes[0], &items[2]));
    scheduler.make_ready_anywhere(&items[2]);
    EXPECT_FALSE(scheduler.looks_drained());
    EXPECT_EQ(scheduler.take_own(lanes[1], kAllow), nullptr);
    EXPECT_EQ(scheduler.take_any(lanes[1], Allow{.answer = false}, Look::kThorough), nullptr);
    EXPECT_EQ(scheduler.take_any(lanes[1], kAllow, Look::kBrief), &items[1]);
    EXPECT_EQ(scheduler.take_any(lanes[0], kAllow, Look::kBrief), &items[0]);
    EXPECT_EQ(scheduler.take_any(lanes[0], kAllow, Look::kBrief), &items[2]);
    EXPECT_TRUE(scheduler.looks_drained());
    scheduler.forget_other_threads(lanes[0], 2);
    EXPECT_TRUE(stack.forgotten_);
}

TEST(Scheduler, AFullQueueSaysSo) {
    Bench bench(2);
    std::array<Runnable, Bench::kSlots + 1> items;
    for (std::uint32_t i = 0; i < Bench::kSlots; ++i)
        ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &items[i]));
    EXPECT_FALSE(bench.policy.make_ready(bench.lanes[0], &items.back()));
    bench.policy.make_ready_anywhere(&items.back());
    std::set<Runnable*> taken;
    while (Runnable* item = bench.steal(bench.lanes[1], kAllow))
        taken.insert(item);
    EXPECT_EQ(taken.size(), items.size());
    EXPECT_TRUE(bench.policy.looks_drained());
}

TEST(Scheduler, PrioritiesComeBeforeOnesOwnAndSharedWorkComesLast) {
    Bench bench(2);
    Runnable own, shared, urgent, foreign;
    urgent.priority = 3;
    foreign.priority = 5;
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &own));
    bench.policy.make_ready_anywhere(&shared);
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[1], &urgent));
    bench.policy.make_ready_anywhere(&foreign);
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &foreign);
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &urgent);
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &own);
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), nullptr);
    EXPECT_EQ(bench.steal(bench.lanes[0], kAllow), &shared);
    EXPECT_TRUE(bench.policy.looks_drained());
}

TEST(Scheduler, TheHighestPriorityOfAllLanesGoesFirst) {
    Bench bench(3);
    std::vector<Runnable> items(6);
    const std::vector<int> priorities{2, 7, 7, 1, 9, 2};
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].priority = priorities[i];
        ASSERT_TRUE(bench.policy.make_ready(bench.lanes[i % 3], &items[i]));
    }
    std::vector<int> order;
    while (Runnable* item = bench.take(bench.lanes[0], kAllow))
        order.push_back(item->priority);
    EXPECT_EQ(order, (std::vector<int>{9, 7, 7, 2, 2, 1}));
}

// A waiter for descendants takes tasks that its context has created without asking for proof, and
// asks for proof of tasks with a priority.
TEST(Scheduler, AConstrainedWaiterTakesWhatCameSinceItStarted) {
    Bench bench(2);
    const Allow nothing_proven{.bound = true};
    std::vector<Runnable> before(3), since(3);
    const auto queue = [&](Runnable& item, int priority) {
        item.priority = priority;
        ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &item));
    };
    queue(before[0], 9);
    queue(before[1], 0);
    queue(before[2], 4);
    const Mark outer = Scheduler::enter(bench.lanes[0]);
    EXPECT_EQ(bench.take(bench.lanes[0], nothing_proven), nullptr);
    queue(since[0], 4);
    queue(since[1], 0);
    queue(since[2], 1);
    const Allow own_proven{.bound = true, .proof = {&since[0], &since[2]}};
    EXPECT_EQ(bench.take(bench.lanes[0], own_proven), &since[0]);
    EXPECT_EQ(bench.take(bench.lanes[0], own_proven), &since[2]);
    EXPECT_EQ(bench.take(bench.lanes[0], nothing_proven), &since[1]);
    EXPECT_EQ(bench.take(bench.lanes[0], nothing_proven), nullptr);
    Scheduler::leave(bench.lanes[0], outer);
    EXPECT_EQ(bench.steal(bench.lanes[1], nothing_proven), nullptr);
    EXPECT_EQ(bench.steal(bench.lanes[1], Allow{.bound = true, .proof = {&before[0]}}), &before[0]);
    EXPECT_EQ(bench.steal(bench.lanes[1], Allow{.bound = true, .proof = {&before[2]}}), &before[2]);
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &before[1]);
}

// ---- Contexts, each of which has its own queue.

// Tasks created by one context are no descendants of a task on another context, and no task is
// lost.
TEST(Scheduler, AContextFindsItsOwnTasksAgain) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    Runnable first[2], second[2];
    const Allow nothing_proven{.bound = true};
    for (Runnable& item : first)
        ASSERT_TRUE(bench.policy.make_ready(lane, &item));
    Lane::Queue* const left = lane.leave(Left::kOpen);
    EXPECT_EQ(bench.take(lane, kAllow), nullptr) << "a fresh context has made nothing";
    const Mark outer = Scheduler::enter(lane);
    for (Runnable& item : second)
        ASSERT_TRUE(bench.policy.make_ready(lane, &item));
    EXPECT_EQ(bench.take(lane, nothing_proven), &second[1]) << "above its mark, whatever lies elsewhere";
    Lane::Queue* const other = lane.leave(Left::kOpen);
    lane.return_to(left);
    EXPECT_EQ(bench.take(lane, kAllow), &first[1]);
    EXPECT_EQ(bench.take(lane, kAllow), &first[0]);
    EXPECT_EQ(bench.take(lane, kAllow), nullptr);
    EXPECT_FALSE(bench.policy.looks_drained());
    (void)lane.leave(Left::kOpen);
    lane.return_to(other);
    EXPECT_EQ(bench.take(lane, nothing_proven), &second[0]);
    Scheduler::leave(lane, outer);
    EXPECT_TRUE(bench.policy.looks_drained());
}

// If other contexts take tasks from below the mark of a waiting task, its mark is lowered;
// otherwise the task would miss the tasks that it creates afterwards.
TEST(Scheduler, ATaskFindsWhatItMakesAfterOthersHaveTakenFromBelowIt) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    Runnable below[3], child, of_outer;
    for (Runnable& item : below)
        ASSERT_TRUE(bench.policy.make_ready(lane, &item));
    const Allow nothing_proven{.bound = true};
    const Mark ground = Scheduler::enter(lane); // on top of all three
    const Mark outer = Scheduler::enter(lane);
    const Mark mark = lane.since;
    Lane::Queue* const left = lane.leave(Left::kOpen);
    EXPECT_EQ(bench.policy.take_unrelated(lane, kAllow, Look::kBrief), &below[2]);
    EXPECT_EQ(bench.policy.take_unrelated(lane, kAllow, Look::kBrief), &below[1]);
    lane.return_to(left);
    lane.restore(mark);
    ASSERT_TRUE(bench.policy.make_ready(lane, &child));
    EXPECT_EQ(bench.take(lane, nothing_proven), &child);
    EXPECT_EQ(bench.take(lane, nothing_proven), nullptr);
    Scheduler::leave(lane, outer);
    ASSERT_TRUE(bench.policy.make_ready(lane, &of_outer));
    EXPECT_EQ(bench.take(lane, nothing_proven), &of_outer);
    EXPECT_EQ(bench.take(lane, nothing_proven), nullptr);
    Scheduler::leave(lane, ground);
    EXPECT_EQ(bench.take(lane, kAllow), &below[0]);
}

TEST(Scheduler, ThievesAndTheMembersOtherContextsFindWhatWasLeft) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    Runnable items[4];
    for (Runnable& item : items)
        ASSERT_TRUE(bench.policy.make_ready(lane, &item));
    Lane::Queue* const left = lane.leave(Left::kOpen);
    EXPECT_FALSE(bench.policy.looks_drained());
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &items[0]) << "the oldest";
    EXPECT_EQ(bench.policy.take_unrelated(lane, kAllow, Look::kBrief), &items[3]) << "the newest";
    EXPECT_EQ(bench.policy.take_any(lane, kAllow, Look::kBrief), &items[2]) << "outside of tasks";
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &items[1]);
    EXPECT_TRUE(bench.policy.looks_drained());
    lane.return_to(left); // the queue is no longer on the list
    EXPECT_EQ(bench.take(lane, kAllow), nullptr);
}

// The queue of an ended context stays until other members have emptied it; then another context
// gets the queue.
TEST(Scheduler, QueuesOfContextsThatHaveEndedAreUsedAgain) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    Runnable items[2];
    ASSERT_TRUE(bench.policy.make_ready(lane, &items[0]));
    Lane::Queue* const first = &lane.queue();
    lane.abandon();
    ASSERT_TRUE(bench.policy.make_ready(lane, &items[1]));
    EXPECT_NE(&lane.queue(), first) << "it is not empty";
    lane.abandon();
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &items[1]) << "the latest that was left first";
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &items[0]);
    std::set<Lane::Queue*> used;
    for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(bench.policy.make_ready(lane, &items[0]));
        used.insert(&lane.queue());
        EXPECT_EQ(bench.take(lane, kAllow), &items[0]);
        lane.abandon();
    }
    EXPECT_LE(used.size(), 2u);
}

// Tasks that may not start for now come last, and a look visits at most a few such queues.
TEST(Scheduler, BarredQueuesComeLast) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    Runnable barred, open;
    ASSERT_TRUE(bench.policy.make_ready(lane, &open));
    (void)lane.leave(Left::kOpen);
    ASSERT_TRUE(bench.policy.make_ready(lane, &barred));
    (void)lane.leave(Left::kBarred);
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &open);
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &barred);
    std::vector<Runnable> many(2 * Lane::kMostRefusals);
    for (Runnable& item : many) {
        ASSERT_TRUE(bench.policy.make_ready(lane, &item));
        (void)lane.leave(Left::kOpen);
    }
    unsigned asked = 0;
    struct Counting {
        unsigned& asked;
        bool constrained() const { return true; }
        bool operator()(const Runnable*) const { return ++asked, false; }
    };
    EXPECT_EQ(bench.policy.take_any(bench.lanes[1], Counting{asked}, Look::kThorough), nullptr);
    EXPECT_EQ(asked, Lane::kMostRefusals);
    while (bench.steal(bench.lanes[1], kAllow) != nullptr) {
    }
}

TEST(Scheduler, AQueueGrowsToItsLimitAndPastItWhereATaskMayNotRunAtOnce) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    lane.limit = 128;
    std::vector<Runnable> items(1000);
    std::size_t queued = 0;
    while (bench.policy.make_ready(lane, &items[queued]))
        ++queued;
    EXPECT_EQ(queued, 128u);
    EXPECT_TRUE(Scheduler::is_nearly_full(lane));
    for (; queued < items.size(); ++queued)
        bench.policy.make_ready_past_limit(lane, &items[queued]);
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &items[0]);
    for (std::size_t i = items.size() - 1; i > 0; --i)
        ASSERT_EQ(bench.take(lane, kAllow), &items[i]);
    EXPECT_TRUE(bench.policy.looks_drained());
    EXPECT_FALSE(Scheduler::is_nearly_full(lane));
}

// For a task on a stack of its own, a member also takes tasks from below the mark.
TEST(Scheduler, UnrelatedTasksComeFromTheMembersOwnLaneFirst) {
    Bench bench(2);
    Lane& lane = bench.lanes[0];
    Runnable oldest, middle, newest, foreign, shared;
    for (Runnable* item : {&oldest, &middle, &newest})
        ASSERT_TRUE(bench.policy.make_ready(lane, item));
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[1], &foreign));
    bench.policy.make_ready_anywhere(&shared);
    const Mark outer = Scheduler::enter(lane);
    const Allow all_but_newest{.bound = true, .proof = {&oldest, &middle, &foreign, &shared}};
    const auto take = [&](const Allow& allow, Look look) { return bench.policy.take_unrelated(lane, allow, look); };
    EXPECT_EQ(take(kAllow, Look::kBrief), &newest);
    ASSERT_TRUE(bench.policy.make_ready(lane, &newest));
    EXPECT_EQ(take(all_but_newest, Look::kBrief), &oldest);
    EXPECT_EQ(take(all_but_newest, Look::kBrief), &middle);
    EXPECT_EQ(take(all_but_newest, Look::kBrief), &shared);
    EXPECT_EQ(take(all_but_newest, Look::kBrief), &foreign);
    EXPECT_EQ(take(all_but_newest, Look::kBrief), nullptr);
    EXPECT_EQ(take(all_but_newest, Look::kThorough), nullptr) << "the newest is the only one left";
    Scheduler::leave(lane, outer);
    EXPECT_EQ(bench.steal(lane, kAllow), &newest);
}

TEST(Scheduler, OfUnrelatedTasksThoseWithAPriorityGoFirst) {
    Bench bench(3);
    std::vector<Runnable> items(5);
    const std::vector<int> priorities{2, 7, 0, 9, 3};
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].priority = priorities[i];
        if (i < 4) ASSERT_TRUE(bench.policy.make_ready(bench.lanes[i % 3], &items[i]));
        else bench.policy.make_ready_anywhere(&items[i]);
    }
    EXPECT_EQ(bench.policy.highest(), 9);
    const Allow all_but_highest{.bound = true, .proof = {&items[0], &items[1], &items[2], &items[4]}};
    EXPECT_EQ(bench.policy.take_unrelated(bench.lanes[2], kAllow, Look::kBrief), &items[3]);
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &items[3]));
    std::set<Runnable*> found;
    for (int i = 0; i < 4; ++i)
        found.insert(bench.policy.take_unrelated(bench.lanes[2], all_but_highest, Look::kThorough));
    EXPECT_EQ(found, (std::set<Runnable*>{&items[0], &items[1], &items[2], &items[4]})) << "behind the highest";
    EXPECT_EQ(bench.policy.highest(), 9);
}

TEST(Scheduler, TheHighestPriorityIsKnownWhereverItsTaskLies) {
    Bench bench(2);
    Runnable plain, low, high, shared;
    low.priority = 1, high.priority = 4, shared.priority = 6;
    EXPECT_EQ(bench.policy.highest(), 0);
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &plain));
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &low));
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[1], &high));
    EXPECT_EQ(bench.policy.highest(), 4);
    bench.policy.make_ready_anywhere(&shared);
    EXPECT_EQ(bench.policy.highest(), 6);
}

TEST(Scheduler, TasksWithoutALaneAreFoundByAThoroughLook) {
    Bench bench(2);
    std::vector<Runnable> items(100);
    for (Runnable& item : items)
        bench.policy.make_ready_anywhere(&item);
    const Allow only_last{.bound = true, .proof = {&items.back()}};
    EXPECT_EQ(bench.steal(bench.lanes[0], only_last, Look::kBrief), nullptr);
    EXPECT_EQ(bench.steal(bench.lanes[0], only_last, Look::kThorough), &items.back());
}

TEST(Scheduler, AThiefTakesSharedWorkBeforeAVictims) {
    Bench bench(2);
    Runnable shared, queued;
    bench.policy.make_ready_anywhere(&shared);
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &queued));
    EXPECT_EQ(bench.take(bench.lanes[0], kAllow), &queued) << "the owner's own goes first";
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &queued));
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow, Look::kBrief), &shared);
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow, Look::kBrief), &queued);
}

TEST(Scheduler, WhatIsNotAllowedStays) {
    Bench bench(3);
    Runnable item, shared;
    const Allow refuse{.answer = false};
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &item));
    bench.policy.make_ready_anywhere(&shared);
    EXPECT_EQ(bench.steal(bench.lanes[1], refuse), nullptr);
    EXPECT_FALSE(bench.policy.looks_drained());
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &shared);
    EXPECT_EQ(bench.steal(bench.lanes[1], kAllow), &item);
}

TEST(Scheduler, AThiefFindsTheOneVictimAmongMany) {
    constexpr unsigned kMembers = 70;
    Bench bench(kMembers);
    Runnable item;
    for (unsigned victim = 0; victim < kMembers; ++victim) {
        Lane& thief = bench.lanes[(victim + 37) % kMembers];
        ASSERT_TRUE(bench.policy.make_ready(bench.lanes[victim], &item));
        ASSERT_EQ(bench.steal(thief, kAllow), &item) << "victim " << victim;
    }
}

TEST(Scheduler, LanesBeyondTheTeamAreNotLookedAt) {
    Bench bench(3);
    Runnable item;
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[2], &item));
    bench.policy.resize(2);
    EXPECT_TRUE(bench.policy.looks_drained());
    EXPECT_EQ(bench.steal(bench.lanes[0], kAllow), nullptr);
    bench.policy.resize(3);
    EXPECT_EQ(bench.steal(bench.lanes[0], kAllow), &item);
}

TEST(Scheduler, WorkWakesOneSleeperAtATime) {
    Bench bench(3);
    Runnable items[2];
    Sleepers& sleepers = bench.policy.sleepers();
    sleepers.enter(1);
    sleepers.enter(2);
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &items[0]));
    ASSERT_TRUE(bench.policy.make_ready(bench.lanes[0], &items[1]));
    EXPECT_TRUE(bench.has_token(1));
    EXPECT_FALSE(bench.has_token(2)) << "one is on its way already";
    EXPECT_FALSE(sleepers.leave(1));
    EXPECT_TRUE(sleepers.stop_searching());
    bench.policy.wake_one();
    EXPECT_TRUE(bench.has_token(2));
    EXPECT_FALSE(sleepers.leave(2));
    EXPECT_FALSE(sleepers.stop_searching()) << "nobody is left to pass the duty on to";
}

TEST(Scheduler, SharedWorkWakesASleeperToo) {
    Bench bench(2);
    Runnable item;
    bench.policy.sleepers().enter(1);
    bench.policy.make_ready_anywhere(&item);
    EXPECT_TRUE(bench.has_token(1));
}

TEST(Scheduler, WakeAllReachesEverySleeperAndBearsMissingWorkers) {
    Bench bench(3);
    for (unsigned member = 0; member < 3; ++member)
        bench.policy.sleepers().enter(member);
    bench.lanes[0].parker.store(nullptr); // its worker has left the team
    bench.policy.wake_all(TEFF_WAKE_TEAM);
    EXPECT_TRUE(bench.has_token(1));
    EXPECT_TRUE(bench.has_token(2));
    EXPECT_FALSE(bench.policy.sleepers().any());
}

TEST(Scheduler, ThreadsRunEachItemOnce) {
    constexpr unsigned kMembers = 4;
    constexpr int kItems = 20'000;
    struct Job : Runnable {
        std::atomic<int> runs{0};
    };
    Bench bench(kMembers);
    std::vector<Job> jobs(kMembers * kItems);
    std::atomic<unsigned> left{kMembers * kItems};
    const auto run = [&](Runnable* item) {
        static_cast<Job*>(item)->runs.fetch_add(1);
        left.fetch_sub(1);
    };
    std::vector<std::thread> threads;
    for (unsigned me = 0; me < kMembers; ++me)
        threads.emplace_back([&, me] {
            Lane& lane = bench.lanes[me];
            for (unsigned i = 0; i < kItems; ++i) {
                Job& job = jobs[me * kItems + i];
                job.priority = i % 100 == 0 ? 2 : 0;
                if (!bench.policy.make_ready(lane, &job)) run(&job);
                if (i % 3 == 0)
                    if (Runnable* item = bench.take(lane, kAllow)) run(item);
            }
            while (left.load() > 0) {
                Runnable* item = bench.take(lane, kAllow);
                if (item == nullptr) item = bench.steal(lane, kAllow);
                if (item != nullptr) run(item);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const Job& job : jobs)
        ASSERT_EQ(job.runs.load(), 1);
    EXPECT_TRUE(bench.policy.looks_drained());
}

} // namespace
} // namespace teff::sched
