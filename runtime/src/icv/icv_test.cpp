// SPDX-License-Identifier: Apache-2.0
#include "icv/icv.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/report.h"
#include "icv/display.h"

namespace teff::icv {
namespace {

void initialise_with(std::vector<const char*> variables) {
    variables.push_back(nullptr);
    initialise(variables.data(), 8);
}

TEST(Icv, TheInitialTaskStartsWithWhatTheEnvironmentAsks) {
    initialise_with({"OMP_NUM_THREADS=5", "OMP_DYNAMIC=true", "OMP_THREAD_LIMIT=9", "OMP_SCHEDULE=static,3",
                     "OMP_PROC_BIND=close", "OMP_MAX_ACTIVE_LEVELS=4", "OMP_DEFAULT_DEVICE=1"});
    const TaskIcvs& icvs = initial();
    EXPECT_EQ(icvs.nthreads, 5u);
    EXPECT_TRUE(icvs.dyn);
    EXPECT_EQ(icvs.thread_limit, 9u);
    EXPECT_EQ(icvs.run_sched, (RunSchedule{ScheduleKind::static_, true, 3}));
    EXPECT_EQ(icvs.bind, ProcBind::close);
    EXPECT_EQ(icvs.max_active_levels, 4u);
    EXPECT_EQ(icvs.default_device, 1);
}

TEST(Icv, WithoutListsInnerTasksShareTheirParents) {
    initialise_with({"OMP_NUM_THREADS=5"});
    EXPECT_FALSE(inner_differs(initial()));
    initialise_with({});
    EXPECT_FALSE(inner_differs(initial()));
    EXPECT_EQ(initial().nthreads, 8u);
    EXPECT_EQ(inner(initial()).nthreads, 8u);
}

TEST(Icv, ListsAreWalkedLevelByLevelAndTheirLastItemStays) {
    initialise_with({"OMP_NUM_THREADS=4,3,2", "OMP_PROC_BIND=spread,close"});
    const TaskIcvs second = inner(initial());
    const TaskIcvs third = inner(second);
    EXPECT_EQ(initial().nthreads, 4u);
    EXPECT_EQ(initial().bind, ProcBind::spread);
    EXPECT_EQ(second.nthreads, 3u);
    EXPECT_EQ(second.bind, ProcBind::close);
    EXPECT_EQ(third.nthreads, 2u);
    EXPECT_EQ(third.bind, ProcBind::close);
    EXPECT_FALSE(inner_differs(third));
    EXPECT_EQ(inner(third).nthreads, 2u);
}

TEST(Icv, AChangeByTheProgramHoldsForItsOwnLevel) {
    initialise_with({"OMP_NUM_THREADS=4,3"});
    TaskIcvs changed = initial();
    changed.nthreads = 7;
    EXPECT_EQ(inner(changed).nthreads, 3u);
    initialise_with({"OMP_NUM_THREADS=4"});
    EXPECT_EQ(inner(changed).nthreads, 7u);
}

TEST(Icv, TextOutlivesTheEnvironment) {
    std::string variable = "TEFF_TRACE=/tmp/here";
    initialise_with({variable.c_str()});
    variable.assign(variable.size(), '#');
    EXPECT_EQ(global().trace_directory, "/tmp/here");
}

bool again_with(std::vector<const char*> variables) {
    variables.push_back(nullptr);
    return read_again(variables.data(), 8, Precedence::of_libomp);
}

TEST(Icv, TheEnvironmentIsReadAgainIfItHasChanged) {
    initialise_with({"OMP_NUM_THREADS=4", "OMP_DYNAMIC=true", "OMP_AFFINITY_FORMAT=%n", "TEFF_TRACE=/tmp/here"});
    const char* const directory = global().trace_directory.data();
    EXPECT_FALSE(
        again_with({"OMP_NUM_THREADS=4", "OMP_DYNAMIC=true", "OMP_AFFINITY_FORMAT=%n", "TEFF_TRACE=/tmp/here"}));
    EXPECT_TRUE(again_with({"OMP_NUM_THREADS=5", "OMP_AFFINITY_FORMAT=%N", "TEFF_TRACE=/tmp/there"}));
    EXPECT_EQ(initial().nthreads, 5u);
    EXPECT_FALSE(initial().dyn);
    EXPECT_EQ(global().affinity_format, "%N");
    EXPECT_EQ(global().trace_directory.data(), directory) << "Teff's own variables stay as they were";
    EXPECT_EQ(global().trace_directory, "/tmp/here");
    EXPECT_TRUE(again_with({}));
    EXPECT_EQ(initial().nthreads, 8u);
    EXPECT_EQ(global().affinity_format, "OMP: pid %P tid %i thread %n bound to OS proc set {%A}");
    initialise_with({});
}

std::string displayed() {
    testing::internal::CaptureStderr();
    {
        base::HeldWords held;
        hold_display(held, global());
    }
    base::say_held_words();
    return testing::internal::GetCapturedStderr();
}

TEST(Icv, DisplaysTheEnvironmentWhenAsked) {
    initialise_with({});
    EXPECT_EQ(displayed(), "");
    initialise_with({"OMP_DISPLAY_ENV=true"});
    const std::string shown = displayed();
    EXPECT_NE(shown.find("OMP_NUM_THREADS = '8'"), std::string::npos);
    EXPECT_EQ(shown.find("TEFF_"), std::string::npos);
    initialise_with({"OMP_DISPLAY_ENV=verbose"});
    EXPECT_NE(displayed().find("TEFF_SCHEDULE"), std::string::npos);
}

TEST(Icv, WhatWasRefusedIsDisplayedAsNotSet) {
    initialise_with({"OMP_DISPLAY_ENV=verbose", "OMP_PLACES={900}", "GOMP_CPU_AFFINITY=900"});
    forget_places();
    forget_cpu_affinity();
    const std::string shown = displayed();
    EXPECT_NE(shown.find("OMP_PLACES = ''"), std::string::npos);
    EXPECT_NE(shown.find("GOMP_CPU_AFFINITY = ''"), std::string::npos);
}

} // namespace
} // namespace teff::icv
