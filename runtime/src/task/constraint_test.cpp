// SPDX-License-Identifier: Apache-2.0
//
// Tests which tasks may start on a thread while tied tasks wait on its contexts. The test plays the
// thread: it sets the thread's current context and the tasks on each context.
#include "task/constraint.h"

#include <deque>
#include <gtest/gtest.h>

#include "team/contexts.h"

namespace teff::task {
namespace {

class ConstraintTest : public testing::Test {
  protected:
    ConstraintTest() {
        implicit_ = &make(nullptr);
        implicit_->flags = kImplicit;
        member_.implicit_task = implicit_;
        worker_.member = &member_;
        worker_.task = implicit_;
    }
    ~ConstraintTest() override { worker_.blocks.hand_over_all(); }

    Task& make(Task* parent, TaskFlags flags = 0) {
        Task& task = tasks_.emplace_back();
        task.id = ++last_id_;
        task.parent = parent;
        task.parent_id = parent != nullptr ? parent->id.get() : 0;
        task.depth = parent != nullptr ? parent->depth + 1 : 0;
        task.group = nullptr;
        task.flags = flags;
        task.clauses = static_cast<std::uint8_t>(flags);
        return task;
    }

    // A task begins on top of the current one, and ends.
    void begin(Task& task) {
        task.next = worker_.task;
        worker_.task = &task;
    }
    void end() { worker_.task = worker_.task->below(); }

    // The thread leaves its context, and continues in a fresh context or in one that it has left.
    team::Context& leave() {
        team::Context& self = *worker_.context;
        self.member = &member_;
        self.task = worker_.task;
        team::enlist(self);
        note_tied(worker_);
        return self;
    }
    team::Context& start() {
        team::Context& left = leave();
        team::Context& fresh = contexts_.emplace_back(worker_);
        fresh.started_for = &member_;
        fresh.born = ++member_.contexts_so_far;
        worker_.context = &fresh;
        worker_.task = implicit_;
        return left;
    }
    void go_on_in(team::Context& context) {
        worker_.context = &context;
        worker_.task = context.task;
        team::strike_out(context);
        stop_awaiting_end_of_bar(context);
    }
    void leave_for(team::Context& context) {
        leave();
        go_on_in(context);
    }

    bool may_start(const Task& candidate) { return MayStart(worker_)(&candidate); }

    team::Worker worker_;
    team::Member member_;
    Task* implicit_;
    std::deque<team::Context> contexts_;
    std::deque<Task> tasks_; // addresses stay
    std::uint64_t last_id_ = std::uint64_t{2} << 48;
};

TEST_F(ConstraintTest, AtABarrierAnythingMayStart) {
    EXPECT_EQ(constraint_on(worker_).tied, implicit_);
    implicit_->flags |= kWaitsOutside;
    EXPECT_EQ(constraint_on(worker_).tied, nullptr);
    EXPECT_TRUE(may_start(make(nullptr)));
}

TEST_F(ConstraintTest, BesideATiedTaskItsDescendantsMayStart) {
    Task& tied = make(implicit_);
    Task& child = make(&tied);
    Task& sibling = make(implicit_);
    begin(tied);
    start();
    EXPECT_FALSE(constraint_on(worker_).barred);
    EXPECT_TRUE(may_start(child));
    EXPECT_TRUE(may_start(make(&child)));
    EXPECT_FALSE(may_start(sibling));
    EXPECT_FALSE(may_start(make(implicit_, kUntied)));
    EXPECT_TRUE(MayStartBeside(worker_)(&make(implicit_, kUntied))) << "where the tied task is preempted";
}

TEST_F(ConstraintTest, UntiedAndUndeferredTasksConstrainNothing) {
    implicit_->flags |= kWaitsOutside;
    begin(make(implicit_, kUntied));
    begin(make(worker_.task, kUndeferred));
    start();
    EXPECT_EQ(constraint_on(worker_).tied, nullptr);
    EXPECT_TRUE(may_start(make(implicit_)));
}

TEST_F(ConstraintTest, TheInnermostTiedTaskCountsWhereverItLies) {
    Task& outer = make(implicit_);
    Task& inner = make(&outer);
    begin(outer);
    team::Context& base = start();
    begin(inner);
    leave_for(base);
    EXPECT_TRUE(constraint_on(worker_).barred) << "it is older than the innermost tied task";
    EXPECT_EQ(constraint_on(worker_).tied, &inner);
    EXPECT_FALSE(may_start(make(&outer)));
    EXPECT_TRUE(may_start(make(&inner)));
}

// Once the tied task has ended, its context no longer bars the others.
TEST_F(ConstraintTest, ABarEndsWithTheTaskThatMadeIt) {
    implicit_->flags |= kWaitsOutside;
    Task& untied = make(implicit_, kUntied);
    begin(untied);
    team::Context& base = start();
    Task& tied = make(&untied);
    begin(tied);
    team::Context& other = *worker_.context;
    leave_for(base);
    EXPECT_TRUE(is_barred(worker_));
    team::Context& self = leave();
    sched::Runnable queued;
    sched::Lane lane;
    lane.limit = 8;
    ASSERT_TRUE(lane.take_queue());
    ASSERT_TRUE(lane.queue().deque.try_grow(8) && lane.queue().deque.push(&queued));
    self.queue = &lane.queue();
    self.notification.expect();
    await_end_of_bar(worker_);
    ASSERT_TRUE(self.notification.try_suspend());
    go_on_in(other);
    EXPECT_FALSE(is_barred(worker_));
    EXPECT_FALSE(member_.ready.any());
    end(); // the tied task
    leave();
    EXPECT_TRUE(member_.ready.any()) << "what was barred goes on";
    EXPECT_EQ(member_.ready.take(), &self);
    self.queue = nullptr;
    go_on_in(self);
    EXPECT_FALSE(is_barred(worker_));
    lane.free_memory();
}

// A context that is freed by the end of a bar may be barred by the next tied task.
TEST_F(ConstraintTest, ABarPassesToTheTiedTaskAround) {
    implicit_->flags |= kWaitsOutside;
    begin(make(implicit_, kUntied));
    sched::Runnable queued;
    sched::Lane lane;
    ASSERT_TRUE(lane.take_queue());
    ASSERT_TRUE(lane.queue().deque.try_grow(8) && lane.queue().deque.push(&queued));
    team::Context& base = start();
    base.queue = &lane.queue();
    Task& outer = make(base.task);
    begin(outer);
    team::Context& second = start();
    Task& inner = make(&outer);
    begin(inner);
    team::Context& third = *worker_.context;
    leave_for(base);
    leave();
    base.notification.expect();
    await_end_of_bar(worker_);
    ASSERT_TRUE(base.notification.try_suspend());
    go_on_in(third);
    end();
    forget_tied(worker_);
    EXPECT_FALSE(member_.ready.any()) << "the outer one bars it still";
    go_on_in(second);
    end();
    leave();
    EXPECT_EQ(member_.ready.take(), &base);
    lane.free_memory();
}

} // namespace
} // namespace teff::task
