// SPDX-License-Identifier: Apache-2.0
//
// Tests the separate steps of a task's creation, as taken by an entry point whose compiler fills in
// the tasks itself.
#include "task/create.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "region/started.h"
#include "task/detach.h"
#include "task/taskgroup.h"
#include "task/wait.h"

namespace teff::task {
namespace {

// The data that such a compiler stores in a task; here, the places where the body records what it
// saw.
struct Arguments {
    const Task** ran_as;
    int* order; // counts bodies
    int ran_at = 0;
};

void body(void* data) {
    auto& arguments = *static_cast<Arguments*>(data);
    *arguments.ran_as = team::current_worker().task;
    arguments.ran_at = ++*arguments.order;
}

struct Steps {
    team::Worker& worker = team::current_worker();
    const Task* ran_as = nullptr;
    int order = 0;

    Task& allocated(TaskFlags flags = 0) {
        Task& task = allocate(worker, body, sizeof(Arguments), alignof(Arguments), flags);
        ::new (task.args()) Arguments{&ran_as, &order};
        return task;
    }
    void submitted(Task& task, TaskFlags flags = 0, const TaskClauses& clauses = {}) {
        ASSERT_TRUE(is_deferred(worker, flags, clauses));
        submit(worker, task, clauses, 0);
    }
    // The compiler's own part between begin and end.
    void call(Task& task) { body(task.args()); }
};

template <class Body> void in_region_of_one(Body&& code) {
    region::run(team::current_worker(), {.body = region::body_of(code), .num_threads = 1});
}

TEST(TaskSteps, ASubmittedTaskRunsWhenItsCreatorWaits) {
    in_region_of_one([] {
        Steps steps;
        Task& task = steps.allocated();
        EXPECT_EQ(steps.worker.task->children_ended(), true) << "an allocated task is not counted yet";
        steps.submitted(task);
        EXPECT_EQ(steps.ran_as, nullptr);
        EXPECT_FALSE(steps.worker.task->children_ended());
        wait_for_children(steps.worker, {});
        EXPECT_EQ(steps.ran_as, &task);
    });
}

TEST(TaskSteps, AnIncludedTaskIsTheCurrentOneBetweenBeginAndEnd) {
    in_region_of_one([] {
        Steps steps;
        Task* const creator = steps.worker.task;
        Task& task = steps.allocated();
        EXPECT_FALSE(is_deferred(steps.worker, kUndeferred, {}));
        include(steps.worker, task, {}, 0);
        const Underway underway = begin(steps.worker, task, nullptr);
        ASSERT_FALSE(underway.skipped);
        EXPECT_EQ(steps.worker.task, &task);
        steps.call(task);
        EXPECT_EQ(steps.ran_as, &task);
        end(steps.worker, task, underway);
        EXPECT_EQ(steps.worker.task, creator);
        EXPECT_TRUE(creator->children_ended());
    });
}

TEST(TaskSteps, AnIncludedTaskMayCreateTasksThatOutliveIt) {
    Steps steps;
    in_region_of_one([&steps] {
        Task& outer = steps.allocated();
        include(steps.worker, outer, {}, 0);
        const Underway underway = begin(steps.worker, outer, nullptr);
        Task& inner = steps.allocated();
        EXPECT_EQ(inner.parent.get(), &outer);
        steps.submitted(inner);
        end(steps.worker, outer, underway);
        EXPECT_EQ(steps.order, 0);
    });
    EXPECT_EQ(steps.order, 1) << "the region's end waited for it";
}

// An ended task keeps its parent's block as long as its own block is kept for its children or their
// descendants.
TEST(TaskSteps, TheChainOfParentsStaysWholeAboveATaskThatIsLeft) {
    in_region_of_one([] {
        Steps steps;
        Task& creator = *steps.worker.task;
        taskgroup_begin(steps.worker, {});
        Task* parents[3];
        Underway underway[3];
        for (int level = 0; level < 3; ++level) {
            parents[level] = &steps.allocated();
            include(steps.worker, *parents[level], {}, 0);
            underway[level] = begin(steps.worker, *parents[level], nullptr);
        }
        Task& left = steps.allocated();
        steps.submitted(left);
        for (int level = 3; level-- > 0;) {
            Task& above = level == 0 ? creator : *parents[level - 1];
            end(steps.worker, *parents[level], underway[level]);
            ASSERT_NE(above.flags & kParent, 0u);
            EXPECT_EQ(above.kept.load(), 2u) << "level " << level;
        }
        const Task* found = &left;
        for (int level = 3; level-- > 0;) {
            found = found->parent;
            EXPECT_EQ(found, parents[level]);
        }
        EXPECT_EQ(steps.order, 0);
        taskgroup_end(steps.worker, {});
        EXPECT_EQ(steps.order, 1);
        EXPECT_EQ(creator.kept.load(), 1u) << "all blocks were given back";
    });
}

// A chain of tasks: each task creates the next one and ends.
struct Chain {
    const Task* creator;
    unsigned left;
    std::size_t longest = 0; // distance from a task to the creator, in links
    unsigned ran = 0;

    static void run_one(void* data) {
        Chain& chain = **static_cast<Chain**>(data);
        team::Worker& worker = team::current_worker();
        std::size_t links = 0;
        for (const Task* at = worker.task; at != chain.creator; at = at->parent)
            ++links;
        chain.longest = std::max(chain.longest, links);
        ++chain.ran;
        if (chain.left-- != 0) chain.submit_one(worker);
    }
    void submit_one(team::Worker& worker) {
        Task& task = allocate(worker, run_one, sizeof(Chain*), alignof(Chain*), 0);
        *static_cast<Chain**>(task.args()) = this;
        ASSERT_TRUE(is_deferred(worker, 0, {}));
        submit(worker, task, {}, 0);
    }
};

TEST(TaskSteps, WhoHasEndedIsSkippedInTheChainOfParents) {
    in_region_of_one([] {
        team::Worker& worker = team::current_worker();
        Chain chain{.creator = worker.task, .left = 1'000};
        taskgroup_begin(worker, {});
        chain.submit_one(worker);
        taskgroup_end(worker, {});
        EXPECT_EQ(chain.ran, 1'001u);
        EXPECT_LE(chain.longest, 2u);
        EXPECT_EQ(worker.task->kept.load(), 1u);
    });
}

TEST(TaskSteps, RunIncludedIsBeginCallEnd) {
    in_region_of_one([] {
        Steps steps;
        Task& task = steps.allocated();
        include(steps.worker, task, {}, 0);
        run_included(steps.worker, task);
        EXPECT_EQ(steps.ran_as, &task);
    });
}

TEST(TaskSteps, DependencesOrderSubmittedAndIncludedTasks) {
    in_region_of_one([] {
        Steps steps;
        void* const address = &steps;
        const DependRun inout{.addresses = &address, .count = 1, .kind = ItemKind::kInout};
        const TaskClauses clauses{.depend = {&inout, 1}};
        Task& first = steps.allocated(kDependent);
        Task& second = steps.allocated(kDependent);
        steps.submitted(first, kDependent, clauses);
        steps.submitted(second, kDependent, clauses);
        Task& third = steps.allocated(kDependent);
        EXPECT_EQ(steps.order, 0);
        include(steps.worker, third, clauses, 0);
        EXPECT_EQ(steps.order, 2) << "an included task waits for its predecessors before it begins";
        EXPECT_EQ(steps.ran_as, &second);
        run_included(steps.worker, third);
        EXPECT_EQ(steps.order, 3);
    });
}

TEST(TaskSteps, ATaskThatIsNotToRunGivesItsBlockBack) {
    in_region_of_one([] {
        Steps steps;
        Task& task = steps.allocated();
        reclaim(steps.worker, task);
        EXPECT_EQ(&steps.allocated(), &task) << "the newest free block";
        EXPECT_TRUE(steps.worker.task->children_ended());
    });
}

TEST(TaskSteps, LargeArgumentsAreTheTasksToo) {
    in_region_of_one([] {
        struct Large {
            Arguments arguments;
            char filling[4000];
        };
        Steps steps;
        Task& task = allocate(steps.worker, body, sizeof(Large), 128, 0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(task.args()) % 128, 0u);
        ::new (task.args()) Large{{&steps.ran_as, &steps.order}, {}};
        steps.submitted(task);
        wait_for_children(steps.worker, {});
        EXPECT_EQ(steps.ran_as, &task);
    });
}

TEST(TaskSteps, ADetachableTaskEndsWithItsEvent) {
    in_region_of_one([] {
        Steps steps;
        Task& task = steps.allocated(kDetachable);
        Detachment& event = reserve_event(steps.worker);
        const EventHandle handle = handle_of(event);
        steps.submitted(task, kDetachable, {.event = &event});
        while (steps.ran_as == nullptr)
            yield(steps.worker, {});
        EXPECT_FALSE(steps.worker.task->children_ended());
        fulfill_event(handle);
        EXPECT_TRUE(steps.worker.task->children_ended());
    });
}

TEST(TaskSteps, AnIncludedDetachableTaskIsAwaited) {
    in_region_of_one([] {
        Steps steps;
        Task& task = steps.allocated(kDetachable);
        Detachment& event = reserve_event(steps.worker);
        const EventHandle handle = handle_of(event);
        include(steps.worker, task, {.event = &event}, 0);
        const Underway underway = begin(steps.worker, task, nullptr);
        fulfill_event(handle);
        end(steps.worker, task, underway); // otherwise it would wait for ever
        EXPECT_EQ(steps.worker.task->depth.get(), 0u);
    });
}

TEST(TaskSteps, TheHandleOfARetiredEventIsNoOtherTasks) {
    in_region_of_one([] {
        Steps steps;
        Detachment& retired = reserve_event(steps.worker);
        const EventHandle stale = handle_of(retired);
        retire_event(steps.worker, retired);
        Detachment& next = reserve_event(steps.worker);
        ASSERT_EQ(&next, &retired) << "the newest free record";
        EXPECT_NE(handle_of(next), stale);
        retire_event(steps.worker, next);
    });
}

} // namespace
} // namespace teff::task
