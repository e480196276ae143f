// SPDX-License-Identifier: Apache-2.0
#include "task/icvs.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace teff::task {
namespace {

icv::TaskIcvs values(std::uint32_t nthreads) {
    icv::TaskIcvs icvs = icv::initial();
    icvs.nthreads = nthreads;
    return icvs;
}

TEST(InternedIcvs, EqualSetsAreOne) {
    const icv::TaskIcvs* set = interned(values(5));
    EXPECT_EQ(set->nthreads, 5u);
    EXPECT_EQ(interned(values(5)), set);
    EXPECT_NE(interned(values(6)), set);
}

TEST(InternedIcvs, EveryMemberTellsSetsApart) {
    std::set<const icv::TaskIcvs*> sets{interned(values(5))};
    const auto change = [&](auto&& apply) {
        icv::TaskIcvs icvs = values(5);
        apply(icvs);
        EXPECT_TRUE(sets.insert(interned(icvs)).second);
    };
    change([](icv::TaskIcvs& icvs) { icvs.nthreads = 7; });
    change([](icv::TaskIcvs& icvs) { icvs.thread_limit = 7; });
    change([](icv::TaskIcvs& icvs) { icvs.max_active_levels = 7; });
    change([](icv::TaskIcvs& icvs) { icvs.default_device = 7; });
    change([](icv::TaskIcvs& icvs) { icvs.run_sched.kind = icv::ScheduleKind::guided; });
    change([](icv::TaskIcvs& icvs) { icvs.run_sched.monotonic = !icvs.run_sched.monotonic; });
    change([](icv::TaskIcvs& icvs) { icvs.run_sched.chunk = 7; });
    change([](icv::TaskIcvs& icvs) { icvs.bind = icv::ProcBind::spread; });
    change([](icv::TaskIcvs& icvs) { icvs.dyn = !icvs.dyn; });
    change([](icv::TaskIcvs& icvs) { icvs.list_position = 7; });
}

TEST(InternedIcvs, SetsStayWhereTheyAreAndWhatTheyAre) {
    std::vector<const icv::TaskIcvs*> sets;
    for (std::uint32_t i = 0; i < 1'000; ++i)
        sets.push_back(interned(values(1'000 + i)));
    EXPECT_EQ(std::set<const icv::TaskIcvs*>(sets.begin(), sets.end()).size(), sets.size());
    for (std::uint32_t i = 0; i < 1'000; ++i) {
        EXPECT_EQ(sets[i]->nthreads, 1'000 + i);
        EXPECT_EQ(interned(values(1'000 + i)), sets[i]);
    }
}

TEST(InternedIcvs, ThreadsAgreeOnSets) {
    constexpr std::size_t kThreads = 4, kSets = 500;
    std::vector<std::vector<const icv::TaskIcvs*>> seen(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t me = 0; me < kThreads; ++me)
        threads.emplace_back([&, me] {
            for (std::uint32_t i = 0; i < kSets; ++i)
                seen[me].push_back(interned(values(100'000 + i)));
        });
    for (std::thread& thread : threads)
        thread.join();
    for (std::size_t me = 1; me < kThreads; ++me)
        EXPECT_EQ(seen[me], seen[0]);
}

TEST(ChangeIcvs, TheTaskGetsACopyAndOthersKeepTheirs) {
    team::Worker worker;
    Task task{};
    worker.task = &task;
    const icv::TaskIcvs* const before = interned(values(5));
    task.icvs = before;
    change_icvs(worker, [](icv::TaskIcvs& icvs) { icvs.nthreads = 9; });
    EXPECT_EQ(task.icvs->nthreads, 9u);
    EXPECT_EQ(before->nthreads, 5u);
    change_icvs(worker, [](icv::TaskIcvs& icvs) { icvs.nthreads = 5; });
    EXPECT_EQ(task.icvs, before);
}

} // namespace
} // namespace teff::task
