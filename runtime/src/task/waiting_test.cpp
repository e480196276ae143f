// SPDX-License-Identifier: Apache-2.0
// Tests waits with conditions of the test itself, and tasks that leave their stacks in such waits,
// in a team of one whose only thread is the test's.
#include "task/waiting.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "region/started.h"
#include "sched/eligibility.h"
#include "sync/held_locks.h"
#include "task/conditions.h"
#include "task/wait.h"
#include "team/contexts.h"
#include "team/pool.h"

namespace teff::task {
namespace {

std::string* story = nullptr; // the events, in order

// A condition that becomes true after a number of checks; each check is added to the story.
struct Looks {
    static constexpr WaitKind kKind = WaitKind::kOutsideOfTasks;

    int left;
    bool over() {
        *story += "look ";
        return left-- <= 0;
    }
    static bool try_arm() { return false; } // the test must never sleep
    static void disarm() {}
    static void ran_out() { *story += "ran-out "; }
    static sched::Everything eligible() { return {}; }
    static void go_to_other(Looks&, const Other&) {}
};

class WaitTest : public testing::Test {
  public: // for the tasks' functions
    WaitTest() {
        story = &story_;
        lanes_[0] = &member_.lane;
        member_.team = &team_;
        member_.worker = &worker_;
        member_.lane.limit = 8;
        team_.members = members_;
        team_.lanes = lanes_;
        team_.ready.attach(lanes_, &bits_, 1);
        team_.ready.resize(1);
        worker_.member = &member_;
        worker_.task = &waiting_;
        waiting_.flags = 0;
        make_parent(waiting_, worker_);
        team::set_current_worker(&worker_);
    }
    ~WaitTest() override {
        team::set_current_worker(nullptr);
        worker_.blocks.hand_over_all();
        member_.lane.free_memory();
    }

    // Queues tasks. If they have a parent, the parent counts them.
    void queue_tasks(unsigned count, Task* parent = nullptr) {
        for (unsigned i = 0; i < count; ++i) {
            auto& task = *static_cast<Task*>(worker_.blocks.take(mem::BlockSize::k192));
            task.block_size = mem::BlockSize::k192;
            task.flags = parent != nullptr ? kCountsAsChild : 0;
            task.priority = 0;
            task.args_at = sizeof(Task) / 8;
            task.parent = parent;
            task.group = nullptr;
            task.function = [](void*) { *story += "run "; };
            if (parent != nullptr) parent->children.begin_home();
            ASSERT_TRUE(team_.ready.make_ready(member_.lane, &task));
        }
    }
    std::uint64_t finished() const { return member_.finished.load(); }

    std::string story_;
    Task waiting_{};
    Looks everything_{0};
    team::Worker worker_;
    team::Member member_;
    team::Team team_;
    team::Member* members_[1] = {&member_};
    sched::Lane* lanes_[1] = {nullptr};
    std::atomic<std::uint64_t> bits_{0};
};

TEST_F(WaitTest, AWaitHearsAtOnceThatItsWorkerHasRunOut) {
    queue_tasks(2);
    wait_until(worker_, Looks{4});
    EXPECT_EQ(story_, "look run look run look ran-out look look ");
}

TEST_F(WaitTest, AWaitWithoutTasksDoesNotHearOfThem) {
    wait_until(worker_, Looks{3});
    EXPECT_EQ(story_, "look look look look ");
}

TEST_F(WaitTest, AWaitThatIsOverRunsNothing) {
    queue_tasks(1);
    wait_until(worker_, Looks{0});
    EXPECT_EQ(story_, "look ");
    wait_until(worker_, Looks{1});
}

// Tests with children of tasks that run on another worker.
class EndsTest : public WaitTest {
  protected:
    EndsTest() {
        for (Task& parent : parents_)
            make_parent(parent, elsewhere_);
    }
    std::int64_t unfinished(const Task& parent) const { return parent.children.outstanding(); }

    team::Worker elsewhere_;
    Task parents_[2]{};
};

TEST_F(EndsTest, EndsOfOneParentArePassedOnTogetherWhenTheWorkerRunsOut) {
    queue_tasks(3, &parents_[0]);
    for (int left = 3; left > 0; --left) { // as a wait, which takes the next task after each task
        EXPECT_EQ(unfinished(parents_[0]), 3);
        EXPECT_EQ(finished(), 0u);
        Task* task = Wait::next_task(worker_, everything_);
        ASSERT_NE(task, nullptr);
        run(worker_, *task);
    }
    EXPECT_EQ(unfinished(parents_[0]), 3);
    wait_until(worker_, Looks{1});
    EXPECT_EQ(worker_.ends.tasks, 0u) << "a worker that idles keeps none";
    EXPECT_EQ(unfinished(parents_[0]), 0);
    queue_tasks(1, &parents_[0]);
    wait_until(worker_, Looks{2});
    EXPECT_EQ(worker_.ends.tasks, 0u);
    EXPECT_EQ(unfinished(parents_[0]), 0);
    EXPECT_EQ(finished(), 4u);
}

TEST_F(EndsTest, AnotherParentsTaskIsNotRunBeforeTheyArePassedOn) {
    queue_tasks(2, &parents_[0]);
    queue_tasks(2, &parents_[1]); // the newest tasks run first
    wait_until(worker_, Looks{3});
    EXPECT_EQ(unfinished(parents_[1]), 0);
    EXPECT_EQ(unfinished(parents_[0]), 1);
    EXPECT_EQ(worker_.ends.tasks, 0u) << "a wait that is over has passed on all";
    EXPECT_EQ(finished(), 3u);
    wait_until(worker_, Looks{2});
    EXPECT_EQ(unfinished(parents_[0]), 0);
}

TEST_F(EndsTest, AParentAtHomeLearnsAtOnce) {
    queue_tasks(2, &waiting_);
    Task* task = Wait::next_task(worker_, everything_);
    run(worker_, *task);
    EXPECT_EQ(unfinished(waiting_), 1);
    EXPECT_EQ(finished(), 1u);
    wait_until(worker_, ChildrenEnded{{.waiting = waiting_}});
    EXPECT_EQ(finished(), 2u);
}

TEST_F(EndsTest, NotMoreThanSomeAreKept) {
    for (int round = 0; round < 10; ++round) {
        queue_tasks(4, &parents_[0]);
        while (Task* task = Wait::next_task(worker_, everything_))
            run(worker_, *task);
        EXPECT_LT(worker_.ends.tasks, 16u);
    }
    EXPECT_LE(unfinished(parents_[0]), 16);
    pass_on_ends(worker_);
    EXPECT_EQ(unfinished(parents_[0]), 0);
    EXPECT_EQ(finished(), 40u);
}

// An untied task leaves its stack, and another task starts on a stack of its own. suspension.h
// gives the order of the steps.
class SuspendTest : public WaitTest {
  public:
    SuspendTest() {
        implicit_.flags = kImplicit | kWaitsOutside;
        member_.implicit_task = &implicit_;
        team_.level = 1;
        waiting_.flags |= kUntied;
        waiting_.next = &implicit_;
        waiting_.priority = 3;
        test_ = this;
    }
    void SetUp() override {
        team::Context* const context = team::take_context(worker_);
        if (context == nullptr) GTEST_SKIP() << "contexts do not work here";
        team::give_back_context(*context);
    }

    // Makes a task without queueing it.
    Task& make_task(void (*function)(void*), Task* parent = nullptr) {
        auto& task = *static_cast<Task*>(worker_.blocks.take(mem::BlockSize::k192));
        task.block_size = mem::BlockSize::k192;
        task.flags = parent != nullptr ? kCountsAsChild : 0;
        task.priority = 0;
        task.args_at = sizeof(Task) / 8;
        task.parent = parent;
        task.group = nullptr;
        task.function = function;
        return task;
    }
    Other starts(void (*function)(void*)) {
        return {.context = team::take_context(worker_), .starts = &make_task(function)};
    }
    void queue(Task& task) {
        team_.has_tasks = true;
        ASSERT_TRUE(team_.ready.make_ready(member_.lane, &task));
    }
    void expect_it_is_back() {
        EXPECT_EQ(worker_.context, &worker_.base);
        EXPECT_EQ(worker_.task, &waiting_);
        EXPECT_EQ(member_.suspended, nullptr);
        EXPECT_EQ(member_.outside, nullptr);
        EXPECT_FALSE(member_.ready.any());
    }

    static SuspendTest* test_; // for tasks
    Task implicit_{};
};
SuspendTest* SuspendTest::test_ = nullptr;

// An event of the test: `arm` is the action of try_arm.
struct Event {
    void (*arm)();
    bool holds_already;
    bool try_arm() const {
        *story += "arm ";
        if (arm != nullptr) arm();
        return !holds_already;
    }
    static void disarm() { *story += "disarm "; }
};

TEST_F(SuspendTest, ATaskThatGivesWayGoesOnWhenTheOtherOneHasEnded) {
    give_way(worker_, starts([](void*) { *story += "other "; }), Goes::kToEnd);
    story_ += "back ";
    EXPECT_EQ(story_, "other back ");
    expect_it_is_back();
}

TEST_F(SuspendTest, WhoeverRunsMeanwhileFindsWhatItHasLeft) {
    sync::locks_held = 2;
    give_way(worker_, starts([](void*) {
                 const team::Context& left = test_->worker_.base;
                 EXPECT_NE(test_->worker_.context, &left);
                 EXPECT_EQ(test_->member_.suspended, &left);
                 EXPECT_EQ(left.member, &test_->member_);
                 EXPECT_EQ(left.task, &test_->waiting_);
                 EXPECT_EQ(left.priority, 3);
                 EXPECT_EQ(test_->worker_.task->below(), &test_->implicit_);
                 EXPECT_EQ(sync::locks_held, 0) << "they are the task's that has them";
                 *story += "other ";
             }),
             Goes::kToHead);
    EXPECT_EQ(std::exchange(sync::locks_held, 0), 2);
    EXPECT_EQ(story_, "other ");
    expect_it_is_back();
}

TEST_F(SuspendTest, ASuspendedTaskGoesOnWhenItIsNotified) {
    Event event{nullptr, false};
    leave_until_notified(worker_, event, starts([](void*) {
                             EXPECT_FALSE(test_->member_.ready.any());
                             test_->worker_.base.notify();
                             EXPECT_TRUE(test_->member_.ready.any());
                             test_->worker_.base.notify(); // a second time, without a reason
                             *story += "notified ";
                         }));
    EXPECT_EQ(story_, "arm notified disarm ");
    expect_it_is_back();
}

TEST_F(SuspendTest, ATaskWhoseConditionHoldsByNowIsReadyAtOnce) {
    Event event{nullptr, true};
    leave_until_notified(worker_, event, starts([](void*) {
                             EXPECT_TRUE(test_->member_.ready.any());
                             *story += "other ";
                         }));
    EXPECT_EQ(story_, "arm other ") << "nothing to take back";
    expect_it_is_back();
}

TEST_F(SuspendTest, ANotificationBeforeItHasLeftCounts) {
    Event event{[] { test_->worker_.base.notify(); }, false};
    leave_until_notified(worker_, event, starts([](void*) {
                             EXPECT_TRUE(test_->member_.ready.any());
                             *story += "other ";
                         }));
    EXPECT_EQ(story_, "arm other disarm ");
    expect_it_is_back();
}

TEST_F(SuspendTest, ANotificationOfBeforeDoesNot) {
    worker_.base.notify();
    Event event{nullptr, false};
    leave_until_notified(worker_, event, starts([](void*) {
                             EXPECT_FALSE(test_->member_.ready.any());
                             test_->worker_.base.notify();
                         }));
    expect_it_is_back();
}

TEST_F(SuspendTest, AWorkerGoesBackToGroundWhenNothingElseIsReady) {
    worker_.task = &implicit_;
    leave_outside(worker_, starts([](void*) {
                      EXPECT_EQ(test_->member_.outside, &test_->worker_.base);
                      *story += "task ";
                      give_way(test_->worker_, test_->starts([](void*) { *story += "another "; }), Goes::kToEnd);
                      *story += "first "; // ready contexts go first
                  }));
    EXPECT_EQ(story_, "task another first ");
    worker_.task = &waiting_;
    expect_it_is_back();
}

// Begins a task of priority 1, which gives way to the current task again, and queues another task
// of that priority.
void begin_and_queue(team::Worker& worker, Task& begun, Task& queued) {
    begun.priority = queued.priority = 1;
    give_way(worker, {.context = team::take_context(worker), .starts = &begun}, Goes::kToEnd);
    ASSERT_TRUE(worker.member->team->ready.make_ready(worker.member->lane, &queued));
}
void begin_and_give_way_to_creator(void*) {
    *story += "begun ";
    team::Worker& worker = SuspendTest::test_->worker_;
    give_way(worker, {.context = worker.member->ready.take()}, Goes::kToEnd);
    *story += "continued ";
}

TEST_F(SuspendTest, AnImplicitTaskThatHasCreatedATaskContinuesWhatItsThreadHasBegun) {
    worker_.task = &implicit_;
    team_.has_tasks = true;
    begin_and_queue(worker_, make_task(begin_and_give_way_to_creator), make_task([](void*) { *story += "queued "; }));
    story_ += "created ";
    continue_begun(worker_, {});
    story_ += "back ";
    EXPECT_EQ(story_, "begun created continued back ") << "tasks that have not begun do not delay the creator";
    continue_begun(worker_, {});
    EXPECT_EQ(story_, "begun created continued back ") << "nothing is left to continue";
    worker_.task = &waiting_;
    expect_it_is_back();
    run(worker_, *Wait::next_task(worker_, everything_, sched::Look::kThorough));
}

TEST_F(SuspendTest, WhatItHasQueuedStaysInItsOwnQueue) {
    queue(make_task([](void*) { *story += "queued "; }));
    sched::Lane& lane = member_.lane;
    auto* const own = &lane.queue();
    give_way(worker_, starts([](void*) {
                 EXPECT_FALSE(test_->member_.lane.has_queue());
                 EXPECT_TRUE(test_->member_.lane.has_listed()) << "others find it";
                 test_->queue(test_->make_task([](void*) { *story += "left "; }));
             }),
             Goes::kToEnd);
    EXPECT_EQ(&lane.queue(), own);
    EXPECT_EQ(own->deque.size(), 1u);
    EXPECT_TRUE(lane.has_listed()) << "a task that the other one has left";
    EXPECT_FALSE(own->is_listed.load());
    while (Task* const task = Wait::next_task(worker_, everything_, sched::Look::kThorough))
        run(worker_, *task);
    EXPECT_EQ(story_, "queued left ");
}

TEST_F(SuspendTest, AContextServesOneTaskAfterAnother) {
    static team::Context* first;
    give_way(worker_, starts([](void*) { first = test_->worker_.context; }), Goes::kToEnd);
    give_way(worker_, starts([](void*) { EXPECT_EQ(test_->worker_.context, first); }), Goes::kToEnd);
    expect_it_is_back();
}

// All steps together, in a wait for a child that ends on another stack.
TEST_F(SuspendTest, AWaitLeavesItsStackForWhatMayNotRunOnTop) {
    waiting_.children.begin_home();
    queue(make_task([](void*) {
        *story += "unrelated ";
        EXPECT_NE(test_->worker_.context, &test_->worker_.base);
        end_child(test_->worker_, test_->waiting_);
    }));
    (void)sched::Scheduler::enter(member_.lane); // the child was queued before the task began
    wait_until(worker_, ChildrenEnded{{.waiting = waiting_}});
    EXPECT_EQ(story_, "unrelated ");
    EXPECT_TRUE(waiting_.children_ended());
    expect_it_is_back();
}

// A tied task does not leave its stack; its own descendants run on top of it.
TEST_F(SuspendTest, ATiedWaitRunsWhatItMayOnTop) {
    waiting_.flags &= ~kUntied;
    waiting_.children.begin_home();
    queue(make_task([](void*) { EXPECT_EQ(test_->worker_.context, &test_->worker_.base); }, &waiting_));
    wait_until(worker_, ChildrenEnded{{.waiting = waiting_}});
    expect_it_is_back();
}

} // namespace
} // namespace teff::task
