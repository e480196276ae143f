// SPDX-License-Identifier: Apache-2.0
#include "machine/team.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "machine/topology.h"

namespace teff::machine {
namespace {

constexpr Time kTask = 1'000'000 * kCycle;
// The largest time that creation, wake-ups, searches and steals may add for each task in these
// tests.
constexpr Time kPerTask = 5'000 * kCycle;

Description small_machine() {
    return *parse_description("name small\nclock_mhz 1000\nnodes 2\ncores_per_node 2\nlinks 2 0-1\noutstanding 4\n"
                              "memory_cycles own 100 remote 100 hop 100\nload_cycles own 20 remote 40 hop 20\n"
                              "atomic_cycles own 30 remote 50 hop 20\ncontroller_cycles 1\noperation_cycles 1\n"
                              "creation_cycles 200\nwake_cycles 500\nsleep_cycles 2000\nspin_cycles 3000\n",
                              "small")
                .description;
}

// A task that computes for `thousandths` thousandths of kTask.
TaskSpec work(std::vector<Use> uses = {}, unsigned thousandths = 1000) {
    return {static_cast<double>(kTask / kCycle) * thousandths / 1000, std::move(uses)};
}

Program independent(unsigned tasks) {
    Program program{.name = "independent"};
    program.tasks.assign(tasks, work());
    return program;
}

Program chain(unsigned tasks) {
    Program program{.name = "chain"};
    const std::uint32_t link = program.add_whole(8);
    program.tasks.assign(tasks, work({{link, Mode::inout}}));
    return program;
}

// A program of one task, then `wide` tasks, then one task, and so on.
Program diamonds(unsigned count, unsigned wide) {
    Program program{.name = "diamonds"};
    const std::uint32_t joint = program.add_whole(8);
    for (unsigned i = 0; i < count; ++i) {
        program.tasks.push_back(work({{joint, Mode::inout}}));
        for (unsigned j = 0; j < wide; ++j)
            program.tasks.push_back(work({{joint, Mode::in}}));
    }
    program.tasks.push_back(work({{joint, Mode::inout}}));
    return program;
}

// Tasks of many lengths that depend on a few words, in a fixed pseudo-random order.
Program tangle(unsigned tasks, std::uint64_t seed) {
    Program program{.name = "tangle"};
    for (unsigned i = 0; i < 12; ++i)
        program.add_whole(8);
    const auto next = [&](std::uint64_t below) {
        seed = seed * 6364136223846793005 + 1442695040888963407; // Knuth's MMIX
        return (seed >> 33) % below;
    };
    for (unsigned i = 0; i < tasks; ++i) {
        const auto a = static_cast<std::uint32_t>(next(12)), b = static_cast<std::uint32_t>(next(12));
        program.tasks.push_back(
            work({{a, Mode::in}, {b, next(3) == 0 ? Mode::inout : Mode::in}}, 100 + static_cast<unsigned>(next(900))));
    }
    return program;
}

struct Bounds {
    Time work = 0, span = 0;
};
// Bounds that follow from the arithmetic alone.
Bounds bounds_of(const Program& program, const Description& description) {
    const Order order = order_of(program);
    std::vector<Time> latest(program.tasks.size()); // the longest path to a task's beginning
    Bounds bounds;
    for (std::uint32_t i = 0; i < program.tasks.size(); ++i) {
        const Time own = static_cast<Time>(program.tasks[i].operations * static_cast<double>(description.operation));
        bounds.work += own;
        bounds.span = std::max(bounds.span, latest[i] + own);
        for (const std::uint32_t next : order.successors[i])
            latest[next] = std::max(latest[next], latest[i] + own);
    }
    return bounds;
}

void expect_each_run_once_in_order(const Program& program, const Outcome& outcome) {
    const Order order = order_of(program);
    std::vector<std::vector<TaskRun>> by_core(256);
    for (std::uint32_t i = 0; i < program.tasks.size(); ++i) {
        const TaskRun& task = outcome.runs[i];
        ASSERT_NE(task.core, ~0u) << "task " << i << " was not run";
        ASSERT_LE(task.begin, task.end);
        by_core[task.core].push_back(task);
        for (const std::uint32_t next : order.successors[i])
            ASSERT_LE(task.end, outcome.runs[next].begin) << i << " before " << next;
    }
    for (auto& runs : by_core) {
        std::sort(runs.begin(), runs.end(), [](const TaskRun& a, const TaskRun& b) { return a.begin < b.begin; });
        for (std::size_t i = 1; i < runs.size(); ++i)
            ASSERT_LE(runs[i - 1].end, runs[i].begin) << "two tasks at once on core " << runs[i].core;
    }
}

class MachineTeam : public testing::TestWithParam<Schedule> {
  protected:
    Outcome run_here(const Program& program, std::uint64_t seed = 1) const {
        const Trial trial{GetParam(), Spreading::coarse, 63, seed};
        Outcome outcome = run(program, machine_, trial);
        EXPECT_TRUE(outcome.complete) << program.name;
        expect_each_run_once_in_order(program, outcome);
        return outcome;
    }
    const Description machine_ = small_machine();
};

// The policies that leave no task in a queue while a core has none. Policies that leave other nodes
// their last tasks are not among them.
class GreedyTeam : public MachineTeam {};

TEST_P(MachineTeam, AGraphWithOnePathTakesThatLong) {
    const Outcome outcome = run_here(chain(20));
    EXPECT_GE(outcome.makespan, 20 * kTask);
    EXPECT_LE(outcome.makespan, 20 * (kTask + kPerTask));
}

TEST_P(GreedyTeam, IndependentTasksAreDividedEvenly) {
    const Outcome outcome = run_here(independent(40));
    EXPECT_GE(outcome.makespan, 10 * kTask);
    EXPECT_LE(outcome.makespan, 10 * kTask + 40 * kPerTask);
    for (unsigned core = 0; core < 4; ++core)
        EXPECT_EQ(outcome.tasks_on(core), 10u) << core;
}

TEST_P(GreedyTeam, OneTaskMoreThanCoresTakesTwoRounds) {
    const Outcome outcome = run_here(independent(5));
    EXPECT_GE(outcome.makespan, 2 * kTask);
    EXPECT_LE(outcome.makespan, 2 * kTask + 5 * kPerTask);
}

TEST_P(GreedyTeam, TheOptimumOfDiamondsIsMet) {
    const Outcome outcome = run_here(diamonds(5, 8)); // (1 + 8 / 4) rounds each, and one
    EXPECT_GE(outcome.makespan, 16 * kTask);
    EXPECT_LE(outcome.makespan, 16 * kTask + 46 * kPerTask);
}

// Graham's bound, plus the time for scheduling.
TEST_P(GreedyTeam, NoCoreIsWithoutATaskWhileOneIsReady) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Program program = tangle(150, seed);
        const Time makespan = run_here(program, seed).makespan;
        const Bounds bounds = bounds_of(program, machine_);
        EXPECT_LE(makespan, bounds.work / 4 + bounds.span * 3 / 4 + program.tasks.size() * kPerTask) << seed;
    }
}

TEST_P(MachineTeam, NoRunIsShorterThanItsWorkAllows) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Program program = tangle(150, seed);
        const Bounds bounds = bounds_of(program, machine_);
        EXPECT_GE(run_here(program, seed).makespan, std::max(bounds.work / 4, bounds.span)) << seed;
    }
}

TEST_P(MachineTeam, ARunIsTheSameEachTime) {
    const Program program = tangle(100, 7);
    const Outcome first = run_here(program);
    void* const elsewhere = std::malloc(12'345); // what comes next lies at another address
    const Outcome second = run_here(program);
    std::free(elsewhere);
    EXPECT_EQ(first.makespan, second.makespan);
    EXPECT_EQ(first.end, second.end);
    EXPECT_EQ(first.transfers, second.transfers);
    for (std::size_t i = 0; i < first.runs.size(); ++i) {
        EXPECT_EQ(first.runs[i].core, second.runs[i].core) << i;
        EXPECT_EQ(first.runs[i].begin, second.runs[i].begin) << i;
    }
}

TEST_P(MachineTeam, AProgramWithoutTasksEnds) { EXPECT_EQ(run_here(independent(0)).makespan, 0u); }

TEST_P(MachineTeam, MoreTasksThanADequeHoldsAreAllRun) {
    const Outcome outcome = run_here(independent(3000));
    EXPECT_GE(outcome.makespan, 750 * kTask);
}

std::string name_of_schedule(const testing::TestParamInfo<Schedule>& tested) {
    constexpr const char* kNames[] = {"WorkStealing", "Central",    "Locality",   "RoundRobin",
                                      "ThesisNodes",  "ThesisHops", "ThesisTiles"};
    return kNames[static_cast<unsigned>(tested.param)];
}
INSTANTIATE_TEST_SUITE_P(Schedules, MachineTeam,
                         testing::Values(Schedule::work_stealing, Schedule::central, Schedule::locality,
                                         Schedule::round_robin, Schedule::thesis_nodes, Schedule::thesis_hops,
                                         Schedule::thesis_tiles),
                         name_of_schedule);
INSTANTIATE_TEST_SUITE_P(Schedules, GreedyTeam,
                         testing::Values(Schedule::work_stealing, Schedule::central, Schedule::locality,
                                         Schedule::round_robin, Schedule::thesis_tiles),
                         name_of_schedule);

TEST(MachineTeams, TheSeedDecidesWhoIsStolenFrom) {
    const Program program = tangle(100, 7);
    const Description machine = small_machine();
    const auto times = [&](std::uint64_t seed) {
        return run(program, machine, {Schedule::work_stealing, Spreading::coarse, 1, seed}).makespan;
    };
    const Time first = times(1);
    bool differs = false;
    for (std::uint64_t seed = 2; seed < 10; ++seed)
        differs = differs || times(seed) != first;
    EXPECT_TRUE(differs);
}

TEST(MachineTeams, EveryShippedMachineRunsEveryScheduleItHas) {
    for (const char* const name : {"opteron-performance", "opteron-io", "tilepro64", "server", "two-cores"}) {
        const Description machine = *read_description(std::string(TEFF_MACHINES) + name + ".machine").description;
        for (const Schedule schedule : {Schedule::work_stealing, Schedule::central, Schedule::locality,
                                        Schedule::round_robin, Schedule::thesis_hops}) {
            const Program program = map(100, 64 << 10, 8);
            const Outcome outcome = run(program, machine, {schedule, Spreading::coarse});
            EXPECT_TRUE(outcome.complete) << name;
            expect_each_run_once_in_order(program, outcome);
        }
    }
}

TEST(MachineTeams, ASpareNodeRunsNothing) {
    const Description machine = *read_description(TEFF_MACHINES "tilepro64.machine").description;
    const Outcome outcome = run(map(630, 4096, 4), machine, {Schedule::work_stealing, Spreading::fine});
    EXPECT_EQ(outcome.tasks_on(63), 0u);
    EXPECT_GT(outcome.tasks_on(62), 0u);
}

} // namespace
} // namespace teff::machine
