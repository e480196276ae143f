// SPDX-License-Identifier: Apache-2.0
// Waits with a condition of the test's own, in a team of one that has no thread but the test's.
#include "task/waiting.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "sched/eligibility.h"
#include "task/conditions.h"
#include "team/pool.h"

namespace teff::task {
namespace {

std::string* story = nullptr; // what happened, in order

// Over after so many looks; each is told.
struct Looks {
    static constexpr WaitKind kKind = WaitKind::kOutsideOfTasks;

    int left;
    bool over() {
        *story += "look ";
        return left-- <= 0;
    }
    static bool try_arm() { return false; } // so that the test never sleeps
    static void disarm() {}
    static void ran_out() { *story += "ran-out "; }
    static sched::Everything eligible() { return {}; }
    static void go_to_other(Looks&, const Other&) {}
};

class WaitTest : public testing::Test {
  protected:
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

    // Tasks that their parent counts, if they have one.
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

// Children of tasks that run on another worker.
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
    for (int left = 3; left > 0; --left) { // what a wait sees after each of its tasks
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
    queue_tasks(2, &parents_[1]); // the newest run first
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
    wait_until(worker_, ChildrenEnded{{.worker = worker_, .waiting = waiting_}});
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

} // namespace
} // namespace teff::task
