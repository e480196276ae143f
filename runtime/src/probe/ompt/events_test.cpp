// SPDX-License-Identifier: Apache-2.0
// Tests what the events of one thread store in the records, and what they tell the tool.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probe/ompt/callbacks.h"
#include "probe/ompt/frames.h"
#include "probe/ompt/mutex_events.h"
#include "probe/ompt/region_events.h"
#include "probe/ompt/sync_events.h"
#include "probe/ompt/task_events.h"
#include "probe/ompt/work_events.h"

namespace teff::probe::ompt {

namespace {

std::vector<std::string> reported;

std::string endpoint_name(ompt_scope_endpoint_t endpoint) { return endpoint == ompt_scope_begin ? "begin" : "end"; }

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, std::uint64_t, const void*) {
    reported.push_back("work " + std::to_string(kind) + " " + endpoint_name(endpoint));
}
void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, const void*) {
    reported.push_back("sync " + std::to_string(kind) + " " + endpoint_name(endpoint));
}
void on_schedule(ompt_data_t*, ompt_task_status_t status, ompt_data_t*) {
    reported.push_back("schedule " + std::to_string(status));
}

class Events : public testing::Test {
  protected:
    void SetUp() override {
        reported.clear();
        initial_task_begins(thread, initial, surroundings, 1, 1);
        set_callback(ompt_callback_work, reinterpret_cast<ompt_callback_t>(on_work));
        set_callback(ompt_callback_sync_region, reinterpret_cast<ompt_callback_t>(on_sync));
        set_callback(ompt_callback_task_schedule, reinterpret_cast<ompt_callback_t>(on_schedule));
    }
    void TearDown() override { clear_callbacks(); }

    ompt_state_t state() const { return static_cast<ompt_state_t>(thread.state.load()); }

    int code = 0; // stands for a place in the program
    ThreadRecord thread;
    TaskRecord initial;
    ParallelRecord surroundings;
};

TEST_F(Events, AStaticConstructEndsOnceAndAsItBegan) {
    const void* slot = &code; // what the site's address is read from
    const base::CallSite here = base::CallSite::of_address(slot);
    single_begins(thread, &code, true);
    static_begins(thread, ompt_work_sections, 3, here);
    static_ends(thread, here);
    static_ends(thread, here); // a construct that began before the tool
    EXPECT_EQ(reported, (std::vector<std::string>{"work 3 begin", "work 3 end", "work 2 begin", "work 2 end"}));
}

TEST_F(Events, AnOpenSingleEndsAtTheNextBarrierButNotAtATaskwaitInIt) {
    const void* slot = &code; // what the site's address is read from
    const base::CallSite here = base::CallSite::of_address(slot);
    single_begins(thread, &code, true);
    sync_region_begins(thread, ompt_sync_region_taskwait, here);
    sync_region_begins(thread, ompt_sync_region_barrier_explicit, here);
    EXPECT_EQ(reported, (std::vector<std::string>{"work 3 begin", "sync 5 begin", "work 3 end", "sync 3 begin"}));
}

TEST_F(Events, WhoDoesNotRunTheSingleIsThroughAtOnce) {
    single_begins(thread, &code, false);
    EXPECT_EQ(reported, (std::vector<std::string>{"work 4 begin", "work 4 end"}));
}

TEST_F(Events, ATaskRunsOnTopOfTheCurrentOneAndLeavesItAsItWas) {
    const void* slot = &code;
    TaskRecord task;
    task_created(thread, task, nullptr, ompt_task_explicit, false, base::CallSite::of_address(slot));
    thread.set_state(ompt_state_wait_taskwait);
    thread.gives_way = ompt_task_yield;
    task_begins(thread, task, &slot);
    EXPECT_EQ(thread.current(), &task);
    EXPECT_EQ(task.below, &initial);
    EXPECT_EQ(task.frame.exit_frame.ptr, &slot);
    EXPECT_EQ(state(), working_state(&task));
    task_ends(thread, task, ompt_task_complete);
    EXPECT_EQ(thread.current(), &initial);
    EXPECT_EQ(state(), ompt_state_wait_taskwait);
    EXPECT_EQ(reported, (std::vector<std::string>{"schedule 2", "schedule 1"}));
}

TEST_F(Events, OnlyTheOutermostCallOfTheRuntimeIsWhereTheTaskLeftItsCode) {
    long stack[4] = {};
    const base::CallSite outer = base::CallSite::of_call(&code, &stack[3]),
                         inner = base::CallSite::of_call(&code, &stack[1]);
    {
        const InRuntime first(thread, outer);
        EXPECT_EQ(initial.frame.enter_frame.ptr, &stack[3]);
        {
            const InRuntime second(thread, inner);
            EXPECT_EQ(initial.frame.enter_frame.ptr, &stack[3]);
        }
        EXPECT_EQ(initial.frame.enter_frame.ptr, &stack[3]);
    }
    EXPECT_EQ(initial.frame.enter_frame.ptr, nullptr);
}

TEST_F(Events, WhoWaitsForALockIsInThatStateUntilItHasIt) {
    const void* slot = &code;
    const base::CallSite here = base::CallSite::of_address(slot);
    mutex_acquire(thread, ompt_mutex_critical, 0x55, here);
    EXPECT_EQ(state(), ompt_state_wait_critical);
    EXPECT_EQ(thread.wait_id.load(), 0x55u);
    mutex_acquired(thread, ompt_mutex_critical, 0x55, here);
    EXPECT_EQ(state(), working_state(&initial));
    EXPECT_EQ(thread.wait_id.load(), ompt_wait_id_t{ompt_wait_id_none});
}

} // namespace

} // namespace teff::probe::ompt
