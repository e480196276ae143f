// SPDX-License-Identifier: Apache-2.0
#include "icv/environment.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/standard_error.h"

namespace teff::icv {
namespace {

constexpr int kProcessors = 6;

// The ICVs of an environment, and what was said about it on standard error.
struct Outcome {
    std::vector<std::string> variables; // members of `icvs` point into them
    GlobalIcvs icvs;
    std::string warnings;

    long warning_lines() const { return std::count(warnings.begin(), warnings.end(), '\n'); }
};

Outcome read(std::vector<std::string> variables, bool privileged = false,
             Precedence precedence = Precedence::of_libgomp, std::optional<unsigned> own_device = std::nullopt) {
    Outcome outcome{std::move(variables), {}, {}};
    std::vector<const char*> envp;
    for (const std::string& variable : outcome.variables)
        envp.push_back(variable.c_str());
    envp.push_back(nullptr);
    testing::internal::CaptureStderr();
    base::note_standard_error(); // as the library's constructor
    outcome.icvs = read_settings(find_settings(envp.data(), own_device), kProcessors, privileged, precedence);
    outcome.warnings = testing::internal::GetCapturedStderr();
    return outcome;
}

TEST(Environment, AnEmptyOneGivesTheDefaultsAndNoWarning) {
    const Outcome outcome = read({"PATH=/bin", "OMP=1", "", "=", "TEFF", "NO_EQUALS"});
    const GlobalIcvs& icvs = outcome.icvs;
    EXPECT_EQ(outcome.warnings, "");
    EXPECT_EQ(icvs.default_team_size, 6u);
    EXPECT_TRUE(icvs.num_threads.empty());
    EXPECT_EQ(icvs.schedule, (RunSchedule{ScheduleKind::dynamic, false, 1}));
    EXPECT_EQ(*icvs.proc_bind.begin(), ProcBind::false_);
    EXPECT_EQ(icvs.thread_limit, kNoThreadLimit);
    EXPECT_EQ(icvs.max_active_levels, 1u);
    EXPECT_EQ(icvs.stacksize_bytes, 0u);
    EXPECT_EQ(icvs.wait_policy, WaitPolicy::automatic);
    EXPECT_EQ(icvs.default_allocator.predefined, 1);
    EXPECT_EQ(icvs.affinity_format, "level %L thread %i affinity %A");
    EXPECT_TRUE(icvs.tool);
    EXPECT_EQ(icvs.deque_limit, 1024u);
    EXPECT_EQ(icvs.preemption, (Preemption{PreemptionSource::off, 0}));
    EXPECT_EQ(icvs.preempt_signal, SIGURG);
    EXPECT_EQ(icvs.spin_us, kSpinAutomatic);
    EXPECT_EQ(icvs.task_constraints, TaskConstraints::automatic);
    EXPECT_EQ(icvs.untied, UntiedTasks::stay);
    EXPECT_EQ(icvs.trace_directory, "");
    EXPECT_EQ(icvs.trace_limit_MiB, std::nullopt);
    EXPECT_EQ(icvs.trace_delay_ms, 0u);
    EXPECT_EQ(icvs.trace_duration_ms, 0u);
    EXPECT_EQ(icvs.trace_every, 0u);
    EXPECT_EQ(icvs.trace_last_MiB, 0u);
}

TEST(Environment, ANullEnvironmentIsAnEmptyOne) {
    EXPECT_EQ(read_settings(find_settings(nullptr), 3, false).default_team_size, 3u);
    EXPECT_EQ(read_settings(find_settings(nullptr), 0, false).default_team_size, 1u);
}

TEST(Environment, ReadsEveryKindOfKnob) {
    const Outcome outcome = read({"OMP_DYNAMIC=true",
                                  "OMP_NUM_THREADS=4,3",
                                  "OMP_SCHEDULE=guided,8",
                                  "OMP_PROC_BIND=spread,close",
                                  "OMP_PLACES=cores",
                                  "OMP_STACKSIZE=2M",
                                  "OMP_WAIT_POLICY=Passive",
                                  "OMP_THREAD_LIMIT=32",
                                  "OMP_NUM_TEAMS=3",
                                  "OMP_TEAMS_THREAD_LIMIT=5",
                                  "OMP_CANCELLATION=TRUE",
                                  "OMP_DEFAULT_DEVICE=2",
                                  "OMP_MAX_TASK_PRIORITY=9",
                                  "OMP_DISPLAY_AFFINITY=true",
                                  "OMP_AFFINITY_FORMAT=%n",
                                  "OMP_ALLOCATOR=omp_thread_mem_alloc",
                                  "OMP_TARGET_OFFLOAD=disabled",
                                  "OMP_DISPLAY_ENV=verbose",
                                  "OMP_TOOL=disabled",
                                  "OMP_TOOL_LIBRARIES=/x:/y",
                                  "TEFF_SCHEDULE=work_stealing",
                                  "TEFF_BARRIER=combining",
                                  "TEFF_TSC=relaxed",
                                  "TEFF_UNTIED=migrate",
                                  "TEFF_DEQUE_LIMIT=64",
                                  "TEFF_PREEMPT=timer:50us",
                                  "TEFF_PREEMPT_OBJECTS=libm.so.6,a b",
                                  "TEFF_PREEMPT_SIGNAL=usr2",
                                  "TEFF_SPIN=7",
                                  "TEFF_TRACE=/tmp/a b",
                                  "TEFF_TRACE_LIMIT=100",
                                  "TEFF_TRACE_DELAY=5000",
                                  "TEFF_TRACE_DURATION=10",
                                  "TEFF_TRACE_EVERY=25",
                                  "TEFF_TRACE_LAST=64"});
    const GlobalIcvs& icvs = outcome.icvs;
    EXPECT_EQ(outcome.warnings, "");
    EXPECT_TRUE(icvs.dynamic);
    EXPECT_EQ(icvs.default_team_size, 4u);
    EXPECT_EQ(icvs.num_threads.size, 2u);
    EXPECT_EQ(icvs.schedule, (RunSchedule{ScheduleKind::guided, false, 8}));
    EXPECT_EQ(icvs.proc_bind.size, 2u);
    EXPECT_EQ(icvs.places, "cores");
    EXPECT_EQ(icvs.stacksize_bytes, 2u << 20);
    EXPECT_EQ(icvs.wait_policy, WaitPolicy::passive);
    EXPECT_EQ(icvs.thread_limit, 32u);
    EXPECT_EQ(icvs.num_teams, 3u);
    EXPECT_EQ(icvs.teams_thread_limit, 5u);
    EXPECT_TRUE(icvs.cancellation);
    EXPECT_EQ(icvs.default_device, 2);
    EXPECT_EQ(icvs.max_task_priority, 9);
    EXPECT_TRUE(icvs.display_affinity);
    EXPECT_EQ(icvs.affinity_format, "%n");
    EXPECT_EQ(icvs.default_allocator.predefined, 8);
    EXPECT_EQ(icvs.target_offload, TargetOffload::disabled);
    EXPECT_EQ(icvs.display_env, DisplayEnv::verbose);
    EXPECT_FALSE(icvs.tool);
    EXPECT_EQ(icvs.tool_libraries, "/x:/y");
    EXPECT_EQ(icvs.task_constraints, TaskConstraints::relaxed);
    EXPECT_EQ(icvs.untied, UntiedTasks::migrate);
    EXPECT_EQ(kBarriers[icvs.barrier], "combining");
    EXPECT_EQ(icvs.deque_limit, 64u);
    EXPECT_EQ(icvs.preemption, (Preemption{PreemptionSource::timer, 50}));
    EXPECT_EQ(icvs.preempt_objects, "libm.so.6,a b");
    EXPECT_EQ(icvs.preempt_signal, SIGUSR2);
    EXPECT_EQ(icvs.spin_us, 7);
    EXPECT_EQ(icvs.trace_directory, "/tmp/a b");
    EXPECT_EQ(icvs.trace_limit_MiB, 100u);
    EXPECT_EQ(icvs.trace_delay_ms, 5000u);
    EXPECT_EQ(icvs.trace_duration_ms, 10u);
    EXPECT_EQ(icvs.trace_every, 25u);
    EXPECT_EQ(icvs.trace_last_MiB, 64u);
}

TEST(Environment, TheFirstDefinitionWins) {
    EXPECT_EQ(read({"OMP_NUM_THREADS=3", "OMP_NUM_THREADS=5"}).icvs.default_team_size, 3u);
}

TEST(Environment, ABadValueIsOneLineThatSaysWhatWhereAndWhatInstead) {
    const Outcome outcome = read({"OMP_NUM_THREADS=4,-3"});
    EXPECT_EQ(outcome.icvs.default_team_size, 6u);
    EXPECT_EQ(
        outcome.warnings,
        "teff: warning: OMP_NUM_THREADS='4,-3' is not valid: expected integers with commas between them, outermost "
        "nesting level first, from 1 to 2147483647 threads; using the default (the number of processors that "
        "the process may use: its affinity mask, reduced to its control groups' quota)\n");
}

TEST(Environment, ABarrierThatProgramsCannotHaveIsRefused) {
    for (const char* text : {"TEFF_BARRIER=cpb", "TEFF_BARRIER=sense"}) {
        const Outcome outcome = read({text});
        EXPECT_EQ(outcome.icvs.barrier, kCentralBarrier);
        EXPECT_NE(outcome.warnings.find("expected central or combining"), std::string::npos);
    }
}

TEST(Environment, AWarningIsSafeToShow) {
    const Outcome outcome = read({"OMP_DYNAMIC=\x1b[31m\xff" + std::string(100000, 'x')});
    EXPECT_EQ(outcome.warning_lines(), 1);
    EXPECT_NE(outcome.warnings.find("OMP_DYNAMIC='\\x1b[31m\\xffxxx"), std::string::npos);
    EXPECT_LT(outcome.warnings.size(), 300u);
}

TEST(Environment, AVariantForAllCountsWhereThePlainVariableIsNotSet) {
    EXPECT_EQ(read({"OMP_NUM_THREADS_ALL=3"}).icvs.default_team_size, 3u);
    EXPECT_EQ(read({"OMP_NUM_THREADS_ALL=3", "OMP_NUM_THREADS=2"}).icvs.default_team_size, 2u);
    EXPECT_EQ(read({"OMP_NUM_THREADS=2", "OMP_NUM_THREADS_ALL=3"}).icvs.default_team_size, 2u);
    EXPECT_EQ(read({"OMP_NUM_THREADS_ALL=3", "OMP_NUM_THREADS_ALL=4"}).icvs.default_team_size, 3u);
    EXPECT_EQ(read({"OMP_THREAD_LIMIT_ALL=7"}).icvs.thread_limit, 7u);
    EXPECT_EQ(read({"OMP_NUM_THREADS_ALL=3"}).warnings, "");
}

TEST(Environment, ADeviceHasTheFirstVariantThatConcernsIt) {
    const auto on_device = [](std::vector<std::string> variables, unsigned device) {
        const Outcome outcome = read(std::move(variables), false, Precedence::of_libgomp, device);
        EXPECT_EQ(outcome.warnings, "");
        return outcome.icvs.default_team_size;
    };
    std::vector<std::string> variables = {"OMP_NUM_THREADS_ALL=2", "OMP_NUM_THREADS=3", "OMP_NUM_THREADS_DEV=4",
                                          "OMP_NUM_THREADS_DEV_1=5", "OMP_NUM_THREADS_DEV_10=7"};
    EXPECT_EQ(on_device(variables, 1), 5u);
    EXPECT_EQ(on_device(variables, 0), 4u);
    EXPECT_EQ(on_device(variables, 10), 7u);
    std::reverse(variables.begin(), variables.end());
    EXPECT_EQ(on_device(variables, 1), 5u);
    EXPECT_EQ(on_device(variables, 0), 4u);
    EXPECT_EQ(read(variables).icvs.default_team_size, 3u) << "the host";
    EXPECT_EQ(on_device({"OMP_NUM_THREADS=3", "OMP_NUM_THREADS_ALL=2"}, 0), 3u);
    EXPECT_EQ(on_device({"OMP_NUM_THREADS_ALL=2", "OMP_NUM_THREADS_DEV_1=5"}, 0), 2u);
}

TEST(Environment, ABadVariantOfADeviceIsNamedAsItWasWritten) {
    for (const char* suffix : {"_ALL", "_DEV", "_DEV_3"}) {
        const std::string name = std::string("OMP_NUM_THREADS") + suffix;
        const Outcome outcome = read({name + "=x"}, false, Precedence::of_libgomp, 3);
        EXPECT_EQ(outcome.warnings.find("teff: warning: " + name + "='x' is not valid: expected"), 0u)
            << outcome.warnings;
        EXPECT_EQ(outcome.warning_lines(), 1);
    }
}

TEST(Environment, AVariantForDevicesHasNoEffectOnTheHost) {
    const Outcome outcome = read({"OMP_NUM_THREADS_DEV=3", "OMP_NUM_THREADS_DEV_0=4", "OMP_THREAD_LIMIT_DEV_24=2"});
    EXPECT_EQ(outcome.warnings, "");
    EXPECT_EQ(outcome.icvs.default_team_size, 6u);
    EXPECT_EQ(outcome.icvs.thread_limit, kNoThreadLimit);
}

TEST(Environment, ABadVariantIsNamedAsItWasWritten) {
    for (const char* suffix : {"_ALL", "_DEV", "_DEV_0", "_DEV_77"}) {
        const std::string name = std::string("OMP_NUM_THREADS") + suffix;
        const Outcome outcome = read({name + "=x"});
        EXPECT_EQ(outcome.warnings.find("teff: warning: " + name + "='x' is not valid: expected"), 0u);
        EXPECT_EQ(outcome.warning_lines(), 1);
        EXPECT_EQ(outcome.icvs.default_team_size, 6u);
    }
    const Outcome shadowed = read({"OMP_NUM_THREADS_ALL=x", "OMP_NUM_THREADS=5"});
    EXPECT_EQ(shadowed.warning_lines(), 1);
    EXPECT_EQ(shadowed.icvs.default_team_size, 5u);
    const Outcome number = read({"OMP_NUM_THREADS_DEV_x=3"});
    EXPECT_EQ(number.warnings,
              "teff: warning: OMP_NUM_THREADS_DEV_x is ignored: what follows _DEV_ is not the number of a device\n");
}

TEST(Environment, OnlyWhatDevicesHaveForThemselvesHasVariants) {
    EXPECT_EQ(read({"OMP_CANCELLATION_ALL=x", "OMP_DEFAULT_DEVICE_DEV=x", "OMP_DISPLAY_ENV_ALL=true"}).warnings, "");
    EXPECT_EQ(read({"TEFF_SPIN_ALL=1"}).warning_lines(), 1); // not a variable of Teff
}

// Every knob against every hostile value: at most one line, never a crash, and the default stays
// where there was a warning.
TEST(Environment, HostileValuesLeaveTheDefaultOfEveryKnob) {
    const std::vector<std::string> hostile = {"",
                                              " ",
                                              "-1",
                                              "999999999999999999999999",
                                              "\xff\xfe\xfd",
                                              "\x1b[2J",
                                              "%s%s%n",
                                              "1,",
                                              ",",
                                              "a=b",
                                              std::string(100000, '9'),
                                              std::string(100000, '\x80'),
                                              std::string(5000, ' ')};
    const std::vector<std::string> any_text = {"OMP_AFFINITY_FORMAT",  "OMP_TOOL_LIBRARIES",  "OMP_TOOL_VERBOSE_INIT",
                                               "OMP_PLACES",           "GOMP_CPU_AFFINITY",   "TEFF_TRACE",
                                               "TEFF_PREEMPT_OBJECTS", "TEFF_DISTRIBUTE",     "TEFF_STAT",
                                               "TEFF_STAT_EVENTS",     "ACC_DEVICE_TYPE",     "ACC_PROFLIB",
                                               "KMP_HW_SUBSET",        "TEFF_TRACE_COUNTERS", "TEFF_MPI"};
    for (const Knob& knob : knobs()) {
        const std::string name(knob.name);
        const bool takes_text = std::count(any_text.begin(), any_text.end(), name) != 0;
        for (const std::string& value : hostile) {
            const Outcome outcome = read({name + "=" + value});
            EXPECT_LE(outcome.warning_lines(), 1) << name;
            EXPECT_GE(outcome.warning_lines(), takes_text ? 0 : 1) << name << "=" << value.substr(0, 40);
            EXPECT_EQ(outcome.icvs.default_team_size, 6u) << name;
            EXPECT_EQ(outcome.icvs.deque_limit, 1024u) << name;
        }
    }
}

TEST(Environment, EveryDefaultIsAValueThatCouldBeWritten) {
    for (const Knob& knob : knobs()) {
        EXPECT_FALSE(knob.default_value.empty() && knob.default_words.empty()) << knob.name;
        if (knob.default_value.empty()) continue;
        GlobalIcvs icvs{};
        EXPECT_TRUE(knob.access.read(knob, knob.default_value, icvs)) << knob.name;
    }
}

TEST(Environment, AnUnknownVariableOfOursIsNamed) {
    const Outcome outcome = read({"TEFF_SCEDULE=work_stealing", "OMP_UNKNOWN=1", "TEFFICIENT=1"});
    EXPECT_EQ(outcome.warning_lines(), 1);
    EXPECT_NE(outcome.warnings.find("TEFF_SCEDULE is not a variable of Teff"), std::string::npos);
}

TEST(Environment, APrivilegedProgramWritesAndLoadsNothingItsCallerNames) {
    const Outcome outcome =
        read({"TEFF_TRACE=/etc", "TEFF_STAT=/etc", "OMP_TOOL_LIBRARIES=/tmp/evil.so", "OMP_NUM_THREADS=2"}, true);
    EXPECT_EQ(outcome.icvs.trace_directory, "");
    EXPECT_EQ(outcome.icvs.stat_directory, "");
    EXPECT_EQ(outcome.icvs.tool_libraries, "");
    EXPECT_EQ(outcome.icvs.default_team_size, 2u);
    EXPECT_EQ(outcome.warning_lines(), 3);
}

TEST(Environment, ActiveLevelsFollowFromNestingUnlessGiven) {
    EXPECT_EQ(read({"OMP_NESTED=true"}).icvs.max_active_levels, 255u);
    EXPECT_EQ(read({"OMP_NESTED=false"}).icvs.max_active_levels, 1u);
    EXPECT_EQ(read({"OMP_NUM_THREADS=4,2"}).icvs.max_active_levels, 255u);
    EXPECT_EQ(read({"OMP_PROC_BIND=spread,close"}).icvs.max_active_levels, 255u);
    EXPECT_EQ(read({"OMP_NUM_THREADS=4,2", "OMP_NESTED=false"}).icvs.max_active_levels, 1u);
    EXPECT_EQ(read({"OMP_NESTED=true", "OMP_MAX_ACTIVE_LEVELS=3"}).icvs.max_active_levels, 3u);
    EXPECT_EQ(read({"OMP_MAX_ACTIVE_LEVELS=0"}).icvs.max_active_levels, 0u);
    EXPECT_EQ(read({"OMP_MAX_ACTIVE_LEVELS=1000000"}).icvs.max_active_levels, 255u);
}

TEST(Environment, OurNamesAndTheStandardsWinOverLibgomps) {
    EXPECT_EQ(read({"GOMP_STACKSIZE=512"}).icvs.stacksize_bytes, 512u << 10);
    EXPECT_EQ(read({"GOMP_STACKSIZE=512", "OMP_STACKSIZE=1M"}).icvs.stacksize_bytes, 1u << 20);
    EXPECT_EQ(read({"GOMP_SPINCOUNT=300k"}).icvs.spin_us, 3000);
    EXPECT_EQ(read({"GOMP_SPINCOUNT=300k", "TEFF_SPIN=5"}).icvs.spin_us, 5);
    EXPECT_EQ(read({"GOMP_SPINCOUNT=infinite"}).icvs.spin_us, kSpinMax_us);
    EXPECT_EQ(read({"GOMP_SPINCOUNT=0"}).icvs.spin_us, 0);
}

TEST(Environment, BooleansHaveLibompsSpellingsToo) {
    for (const char* yes :
         {"OMP_DYNAMIC=1", "OMP_DYNAMIC=yes", "OMP_DYNAMIC=On", "OMP_DYNAMIC=.TRUE.", "OMP_DYNAMIC=t"})
        EXPECT_TRUE(read({yes}).icvs.dynamic) << yes;
    for (const char* no : {"OMP_DYNAMIC=0", "OMP_DYNAMIC=no", "OMP_DYNAMIC=off", "OMP_DYNAMIC=f"})
        EXPECT_EQ(read({no}).warnings, "") << no;
    EXPECT_NE(read({"OMP_DYNAMIC=2"}).warnings, "");
}

TEST(Environment, LibompsNamesComeLast) {
    EXPECT_EQ(read({"KMP_BLOCKTIME=3"}).icvs.spin_us, 3000);
    EXPECT_EQ(read({"KMP_BLOCKTIME=infinite"}).icvs.spin_us, kSpinMax_us);
    EXPECT_EQ(read({"KMP_BLOCKTIME=3", "GOMP_SPINCOUNT=100"}).icvs.spin_us, 1);
    EXPECT_EQ(read({"KMP_STACKSIZE=512k"}).icvs.stacksize_bytes, 512u << 10);
    EXPECT_EQ(read({"KMP_STACKSIZE=512k", "GOMP_STACKSIZE=1M"}).icvs.stacksize_bytes, 1u << 20);
    EXPECT_EQ(read({"KMP_LIBRARY=serial"}).icvs.thread_limit, 1u);
    EXPECT_EQ(read({"KMP_LIBRARY=serial", "OMP_THREAD_LIMIT=3"}).icvs.thread_limit, 3u);
    EXPECT_EQ(read({"KMP_LIBRARY=turnaround"}).icvs.wait_policy, WaitPolicy::active);
    EXPECT_EQ(read({"KMP_LIBRARY=turnaround", "OMP_WAIT_POLICY=passive"}).icvs.wait_policy, WaitPolicy::passive);
    EXPECT_EQ(read({"KMP_SETTINGS=1"}).icvs.display_env, DisplayEnv::yes);
    EXPECT_EQ(read({"KMP_AFFINITY=granularity=fine,scatter"}).icvs.places, "threads");
    EXPECT_EQ(*read({"KMP_AFFINITY=granularity=fine,scatter"}).icvs.proc_bind.begin(), ProcBind::spread);
    EXPECT_EQ(*read({"KMP_AFFINITY=scatter", "OMP_PROC_BIND=false"}).icvs.proc_bind.begin(), ProcBind::false_);
    EXPECT_EQ(read({"KMP_AFFINITY=scatter", "OMP_PLACES=sockets"}).icvs.places, "sockets");
    EXPECT_EQ(read({"KMP_AFFINITY=explicit,proclist=[1,0]"}).icvs.cpu_affinity, "1,0");
    EXPECT_EQ(*read({"KMP_AFFINITY=none"}).icvs.proc_bind.begin(), ProcBind::false_);
    EXPECT_TRUE(read({"KMP_AFFINITY=explicit,proclist=[900]"}).icvs.binds_for_places); // else threads stay unbound
    EXPECT_FALSE(read({"KMP_AFFINITY=scatter"}).icvs.binds_for_places);
    EXPECT_NE(read({"KMP_AFFINITY=wide"}).warnings, "");
    EXPECT_EQ(read({"KMP_DUPLICATE_LIB_OK=TRUE", "KMP_INIT_AT_FORK=FALSE"}).warnings, "");
}

TEST(Environment, LibompsNamesComeFirstInItsPrograms) {
    const auto of_libomp = [](std::vector<std::string> variables) {
        return read(std::move(variables), false, Precedence::of_libomp);
    };
    EXPECT_EQ(of_libomp({"KMP_STACKSIZE=512k", "GOMP_STACKSIZE=1M", "OMP_STACKSIZE=2M"}).icvs.stacksize_bytes,
              512u << 10);
    EXPECT_EQ(of_libomp({"GOMP_STACKSIZE=1M", "OMP_STACKSIZE=2M"}).icvs.stacksize_bytes, 1u << 20);
    EXPECT_EQ(of_libomp({"OMP_STACKSIZE=2M"}).icvs.stacksize_bytes, 2u << 20);
    EXPECT_EQ(of_libomp({"KMP_LIBRARY=serial", "OMP_THREAD_LIMIT=3"}).icvs.thread_limit, 1u);
    EXPECT_EQ(of_libomp({"KMP_LIBRARY=turnaround", "OMP_WAIT_POLICY=passive"}).icvs.wait_policy, WaitPolicy::active);
    EXPECT_EQ(of_libomp({"KMP_LIBRARY=throughput", "OMP_WAIT_POLICY=active"}).icvs.wait_policy, WaitPolicy::passive);
    EXPECT_EQ(of_libomp({"OMP_WAIT_POLICY=active"}).icvs.wait_policy, WaitPolicy::active);

    const Outcome scattered = of_libomp({"KMP_AFFINITY=scatter", "OMP_PROC_BIND=false", "OMP_PLACES=sockets"});
    EXPECT_EQ(*scattered.icvs.proc_bind.begin(), ProcBind::spread);
    EXPECT_EQ(scattered.icvs.places, "cores");
    EXPECT_EQ(*of_libomp({"KMP_AFFINITY=none", "GOMP_CPU_AFFINITY=0"}).icvs.proc_bind.begin(), ProcBind::false_);
    const Outcome listed = of_libomp({"GOMP_CPU_AFFINITY=0", "OMP_PROC_BIND=false", "OMP_PLACES=sockets"});
    EXPECT_EQ(*listed.icvs.proc_bind.begin(), ProcBind::true_);
    EXPECT_EQ(listed.icvs.places, "");
    EXPECT_EQ(*of_libomp({"KMP_AFFINITY=verbose", "OMP_PROC_BIND=close"}).icvs.proc_bind.begin(), ProcBind::close);
}

TEST(Environment, TheSmallerThreadLimitCounts) {
    EXPECT_EQ(read({"KMP_DEVICE_THREAD_LIMIT=3"}).icvs.thread_limit, 3u);
    EXPECT_EQ(read({"KMP_DEVICE_THREAD_LIMIT=3", "OMP_THREAD_LIMIT=2"}).icvs.thread_limit, 2u);
    EXPECT_EQ(read({"KMP_DEVICE_THREAD_LIMIT=3", "OMP_THREAD_LIMIT=4"}).icvs.thread_limit, 3u);
    EXPECT_EQ(read({"KMP_DEVICE_THREAD_LIMIT=3", "KMP_ALL_THREADS=2"}).icvs.thread_limit, 3u);
    EXPECT_EQ(read({"KMP_ALL_THREADS=2"}).icvs.thread_limit, 2u);
    EXPECT_EQ(read({"KMP_ALL_THREADS= All "}).icvs.thread_limit, 6u);
    EXPECT_EQ(read({"KMP_DEVICE_THREAD_LIMIT=0"}).icvs.thread_limit, kNoThreadLimit);
}

TEST(Environment, PlacesTurnBindingOnUnlessItWasRefused) {
    EXPECT_EQ(*read({"OMP_PLACES=cores"}).icvs.proc_bind.begin(), ProcBind::true_);
    EXPECT_EQ(*read({"GOMP_CPU_AFFINITY=0-3"}).icvs.proc_bind.begin(), ProcBind::true_);
    EXPECT_EQ(*read({"OMP_PLACES=cores", "OMP_PROC_BIND=false"}).icvs.proc_bind.begin(), ProcBind::false_);
}

TEST(Environment, AThreadLimitBeyondAnIntIsNone) {
    EXPECT_EQ(read({"OMP_THREAD_LIMIT=2147483647"}).icvs.thread_limit, 2147483647u);
    EXPECT_EQ(read({"OMP_THREAD_LIMIT=2147483648"}).icvs.thread_limit, kNoThreadLimit);
    EXPECT_EQ(read({"OMP_THREAD_LIMIT=0"}).icvs.thread_limit, kNoThreadLimit);
}

void expect_variant(std::string_view name, std::string_view base, Variant variant) {
    const auto found = split_variant(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->base, base) << name;
    EXPECT_EQ(found->variant, variant) << name;
}

TEST(Variant, ASuffixSaysWhomAVariableIsFor) {
    expect_variant("OMP_NUM_TEAMS_ALL", "OMP_NUM_TEAMS", Variant::all);
    expect_variant("OMP_NUM_TEAMS_DEV", "OMP_NUM_TEAMS", Variant::device);
    expect_variant("OMP_NUM_TEAMS_DEV_0", "OMP_NUM_TEAMS", Variant::one_device);
    expect_variant("OMP_NUM_TEAMS_DEV_2147483647", "OMP_NUM_TEAMS", Variant::one_device);
}

TEST(Variant, AllOtherNamesArePlain) {
    for (const char* name : {"OMP_NUM_TEAMS", "OMP_NUM_TEAMS_3", "OMP_NUM_TEAMS_all", "_", "ALL", ""})
        EXPECT_FALSE(split_variant(name).has_value()) << name;
}

TEST(Variant, ADeviceNumberIsWrittenInOneWay) {
    for (const char* end : {"", "x", "1x", "-1", "+1", "01", " 1", "1 ", "2147483648", "99999999999999999999"})
        expect_variant(std::string("OMP_X_DEV_") + end, "OMP_X", Variant::no_device_number);
}

} // namespace
} // namespace teff::icv
