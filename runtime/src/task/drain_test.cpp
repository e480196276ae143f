// SPDX-License-Identifier: Apache-2.0
// The drain loop with a wait of the test's own, in a team of one that has no thread but the test's.
#include "task/drain.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "team/pool.h"

namespace teff::task {
namespace {

std::string* story = nullptr; // what happened, in order

class DrainTest : public testing::Test {
  protected:
    static constexpr unsigned kTasks = 3;

    DrainTest() {
        story = &story_;
        lanes_[0] = &member_.lane;
        member_.team = &team_;
        member_.worker = &worker_;
        member_.lane.deque.attach(slots_.data(), slots_.size());
        team_.members = members_;
        team_.lanes = lanes_;
        team_.ready.attach(lanes_, &bits_, 1);
        team_.ready.resize(1);
        worker_.member = &member_;
        worker_.task = &waiting_;
        waiting_.home = &worker_;
        team::set_current_worker(&worker_);
    }
    ~DrainTest() override {
        team::set_current_worker(nullptr);
        worker_.blocks.hand_over_all();
    }

    void queue_tasks(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            auto& task = *static_cast<Task*>(worker_.blocks.take(mem::BlockSize::k192));
            task.block_size = mem::BlockSize::k192;
            task.flags = 0;
            task.priority = 0;
            task.parent = &waiting_;
            task.group = nullptr;
            task.children.reset();
            task.depend_node = nullptr;
            task.depend_table = nullptr;
            task.function = [](void*) { *story += "run "; };
            ASSERT_TRUE(team_.ready.make_ready(member_.lane, &task));
        }
    }

    std::string story_;
    Task waiting_{};
    team::Worker worker_;
    team::Member member_;
    team::Team team_;
    team::Member* members_[1] = {&member_};
    sched::Lane* lanes_[1] = {nullptr};
    std::atomic<std::uint64_t> bits_{0};
    std::array<std::atomic<sched::Runnable*>, 8> slots_{};
};

// Over after so many looks; each is told.
struct Looks {
    int left;
    bool over() {
        *story += "look ";
        return left-- == 0;
    }
    static bool try_arm() { return true; }
    static void disarm() {}
    static void ran_out() { *story += "ran-out "; }
    static Eligible eligible() { return Eligible::everything(); }
    static sched::Mark since() { return sched::Mark::lowest(); }
};

TEST_F(DrainTest, AWaitHearsAtOnceThatItsWorkerHasRunOut) {
    queue_tasks(2);
    drain(worker_, Looks{4});
    EXPECT_EQ(story_, "look run look run look ran-out look look ");
}

TEST_F(DrainTest, AWaitWithoutTasksDoesNotHearOfThem) {
    drain(worker_, Looks{3});
    EXPECT_EQ(story_, "look look look look ");
}

TEST_F(DrainTest, AWaitThatIsOverRunsNothing) {
    queue_tasks(1);
    drain(worker_, Looks{0});
    EXPECT_EQ(story_, "look ");
    drain(worker_, Looks{1});
}

} // namespace
} // namespace teff::task
