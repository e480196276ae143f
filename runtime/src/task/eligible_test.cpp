// SPDX-License-Identifier: Apache-2.0
#include "task/eligible.h"

#include <deque>
#include <gtest/gtest.h>

#include "sched/eligibility.h"
#include "task/taskgroup.h"
#include "team/contexts.h"

namespace teff::task {
namespace {

// A family of tasks with ids as the runtime gives them.
class EligibleTest : public testing::Test {
  protected:
    Task& make(Task* parent, Taskgroup* group = nullptr) {
        tasks_.emplace_back();
        bear(tasks_.back(), parent, group);
        return tasks_.back();
    }

    // Fills in a task's block, in the order in which create.h does: the id first.
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

    EligibleTest() { worker_.member = &member_; }

    bool may_run(const Task& waiting, const Task& candidate, const Taskgroup* group = nullptr) const {
        return Eligible(waiting, group, MayStart(worker_))(&candidate);
    }
    bool may_start(const Task& candidate) const { return MayStart(worker_)(&candidate); }

    // A task waits on a context that has been left; null: no tied one is on it.
    team::Context& suspend(const Task* tied) {
        team::Context& context = contexts_.emplace_back(worker_);
        context.member = &member_;
        context.tied = tied;
        // On top of it lies what proves nothing.
        context.task = &make(nullptr);
        team::enlist(context, tied != nullptr ? tied->depth.get() : 0);
        return context;
    }
    static Task& untied(Task& task) {
        task.clauses = kUntied;
        return task;
    }

    team::Worker worker_;
    team::Member member_;
    std::deque<team::Context> contexts_;
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

// The block of an ancestor now holds another task: the chain is broken, whatever the new one is.
TEST_F(EligibleTest, ARecycledAncestorBreaksTheChain) {
    Task& root = make(nullptr);
    Task& waiting = make(&root);
    Task& child = make(&waiting);
    Task& grandchild = make(&child);
    Task& candidate = make(&grandchild);
    ASSERT_TRUE(may_run(waiting, candidate));
    bear(child, &waiting); // a new child of the same parent: even then nothing is proved of the candidate
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
    first.parent = &second; // never so in the runtime; the walk ends where depth does not decrease
    first.parent_id = second.id.get();
    Task& waiting = make(nullptr);
    EXPECT_FALSE(may_run(waiting, second));
}

// ---- While tasks wait on other contexts of the same member.

TEST_F(EligibleTest, AnyTaskMayStartWhereNoTiedOneIsSuspended) {
    Task& root = make(nullptr);
    EXPECT_FALSE(MayStart(worker_).constrained());
    EXPECT_TRUE(may_start(root));
    suspend(nullptr);
    EXPECT_FALSE(MayStart(worker_).constrained());
    EXPECT_TRUE(may_start(root));
}

TEST_F(EligibleTest, ATiedTaskStartsOnlyIfItDescendsFromEverySuspendedTiedOne) {
    Task& root = make(nullptr);
    Task& outer = make(&root);
    Task& inner = make(&make(&outer));
    Task& below_outer = make(&outer);
    Task& below_inner = make(&inner);
    Task& sibling = make(&root);
    team::Context& outer_waits = suspend(&outer);
    suspend(nullptr);
    EXPECT_TRUE(MayStart(worker_).constrained());
    EXPECT_TRUE(may_start(below_outer));
    EXPECT_FALSE(may_start(sibling));
    EXPECT_FALSE(may_start(outer)) << "a task is no descendant of its own";
    team::Context& inner_waits = suspend(&inner);
    EXPECT_FALSE(may_start(below_outer));
    EXPECT_TRUE(may_start(below_inner));
    team::strike_out(outer_waits); // in any order
    EXPECT_FALSE(may_start(sibling));
    team::strike_out(inner_waits);
    EXPECT_TRUE(may_start(sibling));
    EXPECT_FALSE(MayStart(worker_).constrained());
}

TEST_F(EligibleTest, AnUntiedTaskMayAlwaysStart) {
    Task& root = make(nullptr);
    suspend(&make(&root));
    EXPECT_TRUE(may_start(untied(make(&root))));
    EXPECT_FALSE(may_start(make(&untied(make(&root))))) << "a child of it need not be untied";
}

TEST_F(EligibleTest, WhatRunsOnTopHasToBeAllowedToStart) {
    Task& root = make(nullptr);
    Task& suspended = make(&root);
    Task& waiting = untied(make(&root));
    Task& child = make(&waiting);
    Taskgroup group{};
    Task& of_group = make(&root, &group);
    suspend(&suspended);
    EXPECT_FALSE(may_run(waiting, child));
    EXPECT_FALSE(may_run(waiting, of_group, &group));
    EXPECT_TRUE(may_run(waiting, untied(child)));
    EXPECT_TRUE(may_run(waiting, untied(of_group), &group));
    EXPECT_FALSE(may_run(waiting, make(&suspended))) << "it would be buried there";
}

// Who waits descends from the suspended task, and the group's tasks from who waits.
TEST_F(EligibleTest, TasksOfTheGroupMayRunThoughTheirOwnChainIsBroken) {
    Task& root = make(nullptr);
    Task& suspended = make(&root);
    Task& waiting = make(&suspended);
    Taskgroup group{};
    Task& gone = make(&waiting, &group);
    Task& candidate = make(&make(&gone, &group), &group);
    suspend(&suspended);
    bear(gone, &root);
    EXPECT_FALSE(may_run(waiting, candidate));
    EXPECT_TRUE(may_run(waiting, candidate, &group));
}

// A tied task was admitted when it started; of an untied one nobody knows.
TEST_F(EligibleTest, ChildrenOfATiedTaskMayRunThoughItsOwnChainIsBroken) {
    Task& root = make(nullptr);
    Task& suspended = make(&root);
    Task& gone = make(&suspended);
    Task& waiting = make(&make(&gone));
    Task& child = make(&waiting);
    Task& unrelated = make(&make(&root));
    suspend(&suspended);
    bear(gone, &root);
    EXPECT_FALSE(may_start(child));
    EXPECT_TRUE(may_run(waiting, child));
    EXPECT_FALSE(may_run(unrelated, make(&unrelated))) << "an unbroken chain says no";
    untied(waiting).flags |= kUntied;
    EXPECT_FALSE(may_run(waiting, child));
    sync::locks_held = 1;
    EXPECT_TRUE(may_run(waiting, child)) << "nothing else can start there";
    EXPECT_TRUE(may_run(unrelated, make(&unrelated)));
    EXPECT_FALSE(may_run(waiting, unrelated));
    sync::locks_held = 0;
}

TEST_F(EligibleTest, WithoutStacksOnlyWhatDescendsFromTheInnermostRunsOnTopOfStrangers) {
    Task& root = make(nullptr);
    Task& outer = make(&root);
    Task& inner = make(&outer);
    Task& child = make(&inner);
    EXPECT_FALSE(DescendsFromTied(worker_)(root)) << "where none is suspended";
    suspend(&inner);
    suspend(&outer);
    suspend(nullptr);
    const DescendsFromTied allowed(worker_);
    EXPECT_TRUE(allowed(&child));
    EXPECT_FALSE(allowed(&untied(make(&outer)))) << "what it creates may be tied";
    EXPECT_FALSE(allowed(&untied(make(&root))));
    EXPECT_FALSE(allowed(outer));
}

// What a wait outside of tasks admits: nothing.
struct Nothing {
    static constexpr bool constrained() { return false; }
    bool operator()(const sched::Runnable*) const { return false; }
};

TEST_F(EligibleTest, AtGroundBothTheWaitAndTheSuspendedTasksAreAsked) {
    Task& root = make(nullptr);
    Task& suspended = make(&root);
    const auto at_ground = [&](auto admitted) { return AtGround(admitted, MayStart(worker_)); };
    EXPECT_FALSE(at_ground(sched::Everything{}).constrained());
    EXPECT_TRUE(at_ground(sched::Everything{})(&root));
    EXPECT_FALSE(at_ground(Nothing{})(&root));
    suspend(&suspended);
    EXPECT_TRUE(at_ground(sched::Everything{}).constrained());
    EXPECT_FALSE(at_ground(sched::Everything{})(&root));
    EXPECT_TRUE(at_ground(sched::Everything{})(&make(&suspended)));
    EXPECT_FALSE(at_ground(Nothing{})(&make(&suspended)));
}

} // namespace
} // namespace teff::task
