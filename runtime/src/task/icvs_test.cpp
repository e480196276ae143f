// SPDX-License-Identifier: Apache-2.0
//
// Tests which task owns which set of ICVs, and that no set is left behind.
#include "task/icvs.h"

#include <gtest/gtest.h>

#include <functional>

#include "region/started.h"
#include "task/create.h"
#include "task/wait.h"

namespace teff::task {
namespace {

void set_threads(std::uint32_t nthreads) {
    change_icvs(team::current_worker(), [=](icv::TaskIcvs& icvs) { icvs.nthreads = nthreads; });
}

const icv::TaskIcvs& current() { return *team::current_worker().task->icvs; }

using Body = std::function<void()>;

void call(void* body) { (**static_cast<const Body**>(body))(); }

// `body` must stay until the task has ended.
void create_task(const Body& body, bool undeferred = false) {
    const Body* argument = &body;
    create_any(team::current_worker(), {.function = call,
                                        .data = &argument,
                                        .copy = nullptr,
                                        .arg_bytes = sizeof argument,
                                        .arg_align = alignof(void*),
                                        .flags = undeferred ? kUndeferred : 0});
}

void wait_for_tasks() { wait_for_children(team::current_worker(), {}); }

void in_region(unsigned threads, const Body& body) {
    region::run(team::current_worker(), {.body = region::body_of(body), .num_threads = threads});
}

// Runs the body as the only member of a region.
void in_region(const Body& body) { in_region(1, body); }

TEST(TaskIcvs, AChangeIsTheTasksOwn) {
    in_region([] {
        const icv::TaskIcvs* const inherited = &current();
        const std::uint32_t before = inherited->nthreads;
        set_threads(before + 5);
        EXPECT_EQ(current().nthreads, before + 5);
        EXPECT_EQ(inherited->nthreads, before);
    });
}

TEST(TaskIcvs, AllFurtherChangesAreInPlace) {
    in_region([] {
        set_threads(3);
        const icv::TaskIcvs* const own = &current();
        for (std::uint32_t i = 1; i < 1000; ++i) {
            set_threads(i);
            ASSERT_EQ(&current(), own);
            ASSERT_EQ(current().nthreads, i);
        }
    });
}

TEST(TaskIcvs, AChildHasWhatWasSetWhenItWasCreated) {
    in_region([] {
        const Body first = [] { EXPECT_EQ(current().nthreads, 11u); };
        const Body second = [] { EXPECT_EQ(current().nthreads, 22u); };
        set_threads(11);
        create_task(first);
        set_threads(22);
        create_task(second);
        set_threads(33);
        wait_for_tasks();
        EXPECT_EQ(current().nthreads, 33u);
    });
}

TEST(TaskIcvs, AGrandchildOutlivesTheTaskThatMadeTheChange) {
    bool ran = false;
    const Body grandchild = [&] { ran = current().nthreads == 44; };
    const Body child = [&] {
        set_threads(44);
        create_task(grandchild); // stays in the queue until the region ends
    };
    const Body other = [] { set_threads(55); }; // takes the block that the child has given back
    in_region([&] {
        create_task(child, true);
        create_task(other, true);
        EXPECT_FALSE(ran);
    });
    EXPECT_TRUE(ran);
}

TEST(TaskIcvs, AnUndeferredTasksChangeStaysInside) {
    in_region([] {
        set_threads(6);
        const Body body = [] { set_threads(7); };
        create_task(body, true);
        EXPECT_EQ(current().nthreads, 6u);
    });
}

TEST(TaskIcvs, ARegionInsideBeginsWithTheSet) {
    in_region([] {
        set_threads(8);
        in_region([] {
            EXPECT_EQ(current().nthreads, 8u);
            set_threads(9);
        });
        EXPECT_EQ(current().nthreads, 8u);
    });
}

// If the number of living tasks stays the same, memory stays within the caches of the workers, no
// matter how many sets have existed. A set leaked in each round would add up to a megabyte.
TEST(TaskIcvs, AreAsManyAsTasksThatHaveThem) {
    const Body body = [] { set_threads(current().nthreads + 1); };
    const Body all_sorts = [&] {
        set_threads(current().nthreads + 1);
        for (int i = 0; i < 20; ++i)
            create_task(body, i % 2 == 0);
        in_region(2, body);
        wait_for_tasks();
    };
    in_region(3, all_sorts);
    const std::size_t before = mem::block_bytes_mapped();
    for (int round = 0; round < 5'000; ++round) {
        in_region(3, all_sorts);
        set_threads(static_cast<std::uint32_t>(round) + 1000);
    }
    EXPECT_LE(mem::block_bytes_mapped(), before + 512 * 1024);
    set_threads(2);
}

} // namespace
} // namespace teff::task
