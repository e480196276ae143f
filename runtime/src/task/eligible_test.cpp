// SPDX-License-Identifier: Apache-2.0
#include "task/eligible.h"

#include <deque>
#include <gtest/gtest.h>

#include "task/taskgroup.h"

namespace teff::task {
namespace {

// A tree of tasks with ids like the runtime's.
class EligibleTest : public testing::Test {
  protected:
    Task& make(Task* parent, Taskgroup* group = nullptr) {
        tasks_.emplace_back();
        bear(tasks_.back(), parent, group);
        return tasks_.back();
    }

    // Fills in a task's block in the same order as create.h: the id first.
    void bear(Task& task, Task* parent, Taskgroup* group = nullptr) {
        task.id = ++last_id_;
        task.parent = parent;
        task.parent_id = parent != nullptr ? parent->id.get() : 0;
        task.depth = parent != nullptr ? parent->depth + 1 : 0;
        task.group = group;
        task.clauses = 0;
    }

    Task& chain(Task& from, int generations) {
        Task* at = &from;
        for (int i = 0; i < generations; ++i)
            at = &make(at);
        return *at;
    }

    static bool may_run(const Task& waiting, const Task& candidate, const Taskgroup* group = nullptr) {
        return Eligible(waiting, group)(&candidate);
    }

    std::deque<Task> tasks_; // addresses stay
    std::uint64_t last_id_ = std::uint64_t{2} << 48;
};

TEST_F(EligibleTest, DescendantsMayRunAndOthersMayNot) {
    Task& root = make(nullptr);
    Task& waiting = make(&root);
    Task& child = make(&waiting);
    Task& grandchild = make(&child);
    Task& sibling = make(&root);
    Task& nephew = make(&sibling);
    EXPECT_TRUE(may_run(waiting, child));
    EXPECT_TRUE(may_run(waiting, grandchild));
    EXPECT_TRUE(may_run(root, nephew));
    EXPECT_FALSE(may_run(waiting, waiting));
    EXPECT_FALSE(may_run(waiting, root));
    EXPECT_FALSE(may_run(waiting, sibling));
    EXPECT_FALSE(may_run(waiting, nephew));
}

TEST_F(EligibleTest, LongChainsAreFollowed) {
    Task& waiting = make(nullptr);
    EXPECT_TRUE(may_run(waiting, chain(waiting, 100'000)));
}

TEST_F(EligibleTest, TasksOfTheAwaitedGroupMayRun) {
    Taskgroup group{}, other{};
    Task& root = make(nullptr);
    Task& waiting = make(&root);
    Task& unrelated = make(&root, &group);
    EXPECT_TRUE(may_run(waiting, unrelated, &group));
    EXPECT_FALSE(may_run(waiting, unrelated, &other));
    EXPECT_FALSE(may_run(waiting, unrelated));
}

// The block of an ancestor now holds another task. The chain is broken, even if the new task is
// related.
TEST_F(EligibleTest, ARecycledAncestorBreaksTheChain) {
    Task& root = make(nullptr);
    Task& waiting = make(&root);
    Task& child = make(&waiting);
    Task& grandchild = make(&child);
    Task& candidate = make(&grandchild);
    ASSERT_TRUE(may_run(waiting, candidate));
    bear(child, &waiting); // a new child of the same parent: this still proves nothing about the candidate
    EXPECT_FALSE(may_run(waiting, candidate));
    EXPECT_TRUE(may_run(waiting, child));
}

TEST_F(EligibleTest, ARecycledWaitingTaskIsNotTheSame) {
    Task& root = make(nullptr);
    Task& block = make(&root);
    Task& candidate = make(&block);
    bear(block, &root); // another task waits there now
    EXPECT_FALSE(may_run(block, candidate));
}

TEST_F(EligibleTest, RecyclingIntoALoopOfParentsEnds) {
    Task& root = make(nullptr);
    Task& first = make(&root);
    Task& second = make(&first);
    first.parent = &second; // does not happen in the runtime; the walk ends when the depth does not decrease
    first.parent_id = second.id.get();
    Task& waiting = make(nullptr);
    EXPECT_FALSE(may_run(waiting, second));
}

} // namespace
} // namespace teff::task
