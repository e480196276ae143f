// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/inquiry.h"

#include <gtest/gtest.h>

#include "probe/ompt/names.h"

namespace teff::probe::ompt {

namespace {

ThreadRecord* current;

template <class Function> Function entry(const char* name) { return reinterpret_cast<Function>(look_up(name)); }

// A region inside a region: an explicit task on top of an implicit one, which an initial task's
// region runs.
struct Inquiry : testing::Test {
    void SetUp() override {
        set_machine({.current_thread = [] { return current; },
                     .processors = [] { return 7; },
                     .places = [] { return 0; },
                     .place_processors = [](int, int, int*) { return 0; },
                     .own_place = [] { return -1; },
                     .partition = [](int, int*) { return 0; },
                     .devices = [] { return 0; },
                     .current_task_id = [] { return std::uint64_t{42}; },
                     .end_events = [] {}});
        inner.size = 3;
        initial = {.data = &initial.own_data, .flags = ompt_task_initial, .parallel = &outer};
        implicit = {.data = &implicit.own_data,
                    .flags = ompt_task_implicit,
                    .thread_num = 2,
                    .parallel = &inner,
                    .below = &initial};
        task = {.data = &task.own_data,
                .flags = ompt_task_explicit,
                .thread_num = 2,
                .parallel = &inner,
                .below = &implicit};
        thread.set_current(&task);
        current = &thread;
    }
    void TearDown() override { current = nullptr; }

    ParallelRecord outer, inner;
    TaskRecord initial, implicit, task;
    ThreadRecord thread;
};

TEST_F(Inquiry, TeffsOwnEntryPointTellsWhatARecordingCallsTheTask) {
    const auto task_id = entry<std::uint64_t (*)()>("teff_get_task_id");
    ASSERT_NE(task_id, nullptr);
    EXPECT_EQ(task_id(), 42u);
}

TEST_F(Inquiry, FindsTheTasksOnTheStack) {
    const auto ask = entry<ompt_get_task_info_t>("ompt_get_task_info");
    ompt_data_t *data, *parallel;
    ompt_frame_t* frame;
    int flags, number;
    ASSERT_EQ(ask(1, &flags, &data, &frame, &parallel, &number), 2);
    EXPECT_EQ(flags, ompt_task_implicit);
    EXPECT_EQ(data, &implicit.own_data);
    EXPECT_EQ(frame, &implicit.frame);
    EXPECT_EQ(parallel, &inner.data);
    EXPECT_EQ(number, 2);
    EXPECT_EQ(ask(2, &flags, &data, nullptr, nullptr, nullptr), 2) << "a tool may want some of it";
    EXPECT_EQ(data, &initial.own_data);
    EXPECT_EQ(ask(3, &flags, &data, &frame, &parallel, &number), 0);
    EXPECT_EQ(ask(-1, &flags, &data, &frame, &parallel, &number), 0);
}

TEST_F(Inquiry, FindsTheRegionsAroundATask) {
    const auto ask = entry<ompt_get_parallel_info_t>("ompt_get_parallel_info");
    ompt_data_t* data;
    int size;
    ASSERT_EQ(ask(0, &data, &size), 2);
    EXPECT_EQ(data, &inner.data);
    EXPECT_EQ(size, 3);
    ASSERT_EQ(ask(1, &data, &size), 2);
    EXPECT_EQ(data, &outer.data);
    EXPECT_EQ(ask(2, &data, &size), 0);
}

TEST_F(Inquiry, TellsTheStateAndWhatIsWaitedFor) {
    const auto ask = entry<ompt_get_state_t>("ompt_get_state");
    thread.set_state(ompt_state_wait_lock, 0x1234);
    ompt_wait_id_t wait_id = 0;
    EXPECT_EQ(ask(&wait_id), ompt_state_wait_lock);
    EXPECT_EQ(wait_id, 0x1234u);
    EXPECT_EQ(ask(nullptr), ompt_state_wait_lock);
}

TEST_F(Inquiry, KnowsNothingOfAThreadOutsideOpenMP) {
    current = nullptr;
    ompt_data_t* data;
    int number;
    EXPECT_EQ(entry<ompt_get_state_t>("ompt_get_state")(nullptr), ompt_state_undefined);
    EXPECT_EQ(entry<ompt_get_thread_data_t>("ompt_get_thread_data")(), nullptr);
    EXPECT_EQ(entry<ompt_get_parallel_info_t>("ompt_get_parallel_info")(0, &data, &number), 0);
    EXPECT_EQ(entry<ompt_get_task_info_t>("ompt_get_task_info")(0, &number, &data, nullptr, nullptr, nullptr), 0);
    EXPECT_EQ(entry<ompt_get_num_procs_t>("ompt_get_num_procs")(), 7);
}

TEST_F(Inquiry, HasNoEntryPointOfAnotherName) {
    EXPECT_EQ(look_up("ompt_get_weather"), nullptr);
    EXPECT_EQ(look_up(""), nullptr);
    EXPECT_NE(look_up("ompt_finalize_tool"), nullptr);
}

TEST_F(Inquiry, GivesEachNumberOnce) {
    const auto ask = entry<ompt_get_unique_id_t>("ompt_get_unique_id");
    const std::uint64_t first = ask();
    EXPECT_NE(first, 0u);
    EXPECT_NE(ask(), first);
}

TEST(Names, OfTheStatesEndAndBeginWithUndefined) {
    int state = ompt_state_undefined, steps = 0;
    const char* name = nullptr;
    while (enumerate_states(state, &state, &name) != 0 && steps < 100)
        ++steps;
    EXPECT_STREQ(name, "ompt_state_overhead");
    EXPECT_GT(steps, 10);
    EXPECT_LT(steps, 100);
    EXPECT_EQ(enumerate_states(0x7777, &state, &name), 0);
}

TEST(Names, OfMutexesBeginWithNone) {
    int kind = ompt_mutex_impl_none;
    const char* name = nullptr;
    ASSERT_EQ(enumerate_mutex_impls(kind, &kind, &name), 1);
    EXPECT_EQ(kind, kFutexMutex);
    EXPECT_EQ(enumerate_mutex_impls(kind, &kind, &name), 0);
}

} // namespace

} // namespace teff::probe::ompt
