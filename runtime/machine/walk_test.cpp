// SPDX-License-Identifier: Apache-2.0
//
// Runs task graphs on a modelled machine, and checks the results against properties of every
// schedule.
#include "machine/walk.h"

#include <gtest/gtest.h>
#include <string>

#include "machine/team.h"

namespace teff::machine {
namespace {

constexpr std::uint64_t kTask_ns = 1'000'000;

// A machine on which a cycle is a ns.
Description machine_of(unsigned cores) {
    return *parse_description("name small\nclock_mhz 1000\nnodes 1\ncores_per_node " + std::to_string(cores) +
                                  "\noutstanding 4\nmemory_cycles own 100\nload_cycles own 20\natomic_cycles own 30\n"
                                  "controller_cycles 1\noperation_cycles 1\ncreation_cycles 200\nwake_cycles 500\n"
                                  "sleep_cycles 2000\nspin_cycles 3000\n",
                              "small")
                .description;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

// The text of a graph with a region in which the first thread executes these steps.
struct Text {
    unsigned threads;
    std::string counts, first, lines;

    std::string whole() const {
        std::string text =
            "teff-taskgraph 1\nthreads " + number(threads) + "\ncounts regions 1 " + counts + "\nprogram r0\n";
        for (unsigned i = 0; i < threads; ++i)
            text += "region 0 thread " + number(i) + " : " + (i == 0 ? first : "") + "\n";
        return text + lines;
    }
};

Text bag(unsigned threads, unsigned tasks) {
    Text text{threads, "tasks " + number(tasks) + " joins 1", "", ""};
    for (unsigned i = 0; i < tasks; ++i) {
        text.first += " c" + number(i);
        text.lines += "task " + number(i) + " join 0 : w" + number(kTask_ns) + "\n";
    }
    text.first += " j0";
    return text;
}

Text chain(unsigned threads, unsigned tasks) {
    Text text = bag(threads, tasks);
    text.lines.clear();
    for (unsigned i = 0; i < tasks; ++i)
        text.lines += "task " + number(i) + " join 0" + (i == 0 ? "" : " after " + number(i - 1)) + " : w" +
                      number(kTask_ns) + "\n";
    return text;
}

// A tree of 2^depth - 1 tasks. Each inner task creates two tasks, waits for them, and works.
Text tree(unsigned threads, unsigned depth) {
    const unsigned tasks = (1u << depth) - 1, inner = (1u << (depth - 1)) - 1;
    Text text{threads, "tasks " + number(tasks) + " joins " + number(inner + 1), "c0 j" + number(inner), ""};
    for (unsigned i = 0; i < tasks; ++i) {
        const std::string join = number(i == 0 ? inner : (i - 1) / 2);
        text.lines += "task " + number(i) + " join " + join + " : ";
        if (i < inner) text.lines += "c" + number(2 * i + 1) + " c" + number(2 * i + 2) + " j" + number(i) + " ";
        text.lines += "w" + number(kTask_ns) + "\n";
    }
    return text;
}

TaskGraph graph_of(const Text& text) {
    ParsedGraph parsed = parse_task_graph(text.whole(), "graph");
    EXPECT_TRUE(parsed.graph) << parsed.error;
    return parsed.graph ? *std::move(parsed.graph) : TaskGraph();
}

class MachineWalk : public testing::TestWithParam<NamedSchedule> {
  protected:
    static Outcome run_on(const TaskGraph& graph, unsigned cores, std::uint64_t seed = 1) {
        return run(graph, machine_of(cores), {.schedule = GetParam().schedule, .seed = seed});
    }
    // The time of a graph in ns. The graph must finish.
    static std::uint64_t time_of(const Text& text, std::uint64_t seed = 1) {
        const Outcome outcome = run_on(graph_of(text), text.threads, seed);
        EXPECT_TRUE(outcome.complete);
        EXPECT_EQ(outcome.work, graph_of(text).work_ns() * kCycle);
        for (const TaskRun& task : outcome.runs)
            EXPECT_LE(task.end, outcome.makespan);
        return outcome.makespan / kCycle;
    }
    // Checks Graham's and Brent's bounds, plus the costs that each task may add here. `buried_ns`
    // is the time for which a wait that could end may remain below tasks that run on top of it.
    static void expect_within_bounds(const Text& text, unsigned tasks, std::uint64_t span_ns,
                                     std::uint64_t buried_ns = 0) {
        constexpr std::uint64_t kPerTask_ns = 5000;
        const std::uint64_t work = graph_of(text).work_ns();
        for (const std::uint64_t seed : {1, 2, 3}) {
            const std::uint64_t time = time_of(text, seed);
            EXPECT_GE(time, std::max(work / text.threads, span_ns)) << text.threads;
            EXPECT_LE(time, (work - span_ns) / text.threads + span_ns + buried_ns + tasks * kPerTask_ns)
                << text.threads;
        }
    }
};

TEST_P(MachineWalk, EqualTasksAreSharedOut) {
    for (const unsigned threads : {1, 2, 5, 16})
        expect_within_bounds(bag(threads, 100), 100, kTask_ns);
}

TEST_P(MachineWalk, AChainTakesAsLongOnAnyNumberOfThreads) {
    for (const unsigned threads : {1, 2, 16})
        expect_within_bounds(chain(threads, 50), 50, 50 * kTask_ns);
}

TEST_P(MachineWalk, ATreeTakesItsDepthOrItsShare) {
    for (const unsigned threads : {1, 2, 4, 16})
        expect_within_bounds(tree(threads, 7), 127, 7 * kTask_ns, 6 * kTask_ns);
}

// In addition to its work, a task costs its creation and the accesses to its queue, whose lines are
// cached: some dozens of operations of 3 and 20 cycles.
TEST_P(MachineWalk, OneThreadTakesTheWorkAndTheCosts) {
    constexpr unsigned kTasks = 100;
    const std::uint64_t time = time_of(bag(1, kTasks)), least = kTasks * (kTask_ns + 200);
    EXPECT_GE(time, least);
    EXPECT_LE(time, least + kTasks * 40 * 20);
    EXPECT_EQ(run_on(graph_of(bag(1, kTasks)), 1).moved, 0u);
}

TEST_P(MachineWalk, ASeedGivesTheSameRun) {
    const TaskGraph graph = graph_of(tree(7, 9));
    const Outcome one = run_on(graph, 7, 5), same = run_on(graph, 7, 5), other = run_on(graph, 7, 6);
    EXPECT_EQ(one.makespan, same.makespan);
    EXPECT_EQ(one.transfers, same.transfers);
    EXPECT_EQ(one.moved, same.moved);
    if (GetParam().schedule == Schedule::work_stealing) {
        EXPECT_NE(one.transfers, other.transfers);
    }
}

TEST_P(MachineWalk, WorkOfAnotherClockIsScaled) {
    Description machine = machine_of(1);
    machine.work_clock_mhz = 2000; // here a cycle takes twice as long
    const Trial trial{.schedule = GetParam().schedule};
    EXPECT_EQ(run(graph_of(bag(1, 4)), machine, trial).work, 2 * 4 * kTask_ns * kCycle);
}

TEST_P(MachineWalk, ALoopGoesToWhoIsFree) {
    Text text{4, "loops 1", "l0", "loop 0 : w" + number(30 * kTask_ns)};
    for (unsigned i = 1; i < 31; ++i)
        text.lines += " | w" + number(kTask_ns);
    ParsedGraph parsed = parse_task_graph("teff-taskgraph 1\nthreads 4\ncounts regions 1 loops 1\nprogram r0\n"
                                          "region 0 thread 0 : l0\nregion 0 thread 1 : l0\nregion 0 thread 2 : l0\n"
                                          "region 0 thread 3 : l0\n" +
                                              text.lines + "\n",
                                          "graph");
    ASSERT_TRUE(parsed.graph) << parsed.error;
    const std::uint64_t time = run_on(*parsed.graph, 4).makespan / kCycle;
    EXPECT_GE(time, 30 * kTask_ns);
    EXPECT_LE(time, 31 * kTask_ns);
}

TEST_P(MachineWalk, ALockIsHeldByOne) {
    Text text = bag(8, 16);
    text.counts += " locks 1";
    for (auto at = text.lines.find(": w"); at != text.lines.npos; at = text.lines.find(": w", at))
        text.lines.replace(at, 3, ": h0 w");
    for (auto at = text.lines.find('\n'); at != text.lines.npos; at = text.lines.find('\n', at + 4))
        text.lines.insert(at, " u0");
    EXPECT_GE(time_of(text), 16 * kTask_ns);
}

// Otherwise the task would run a task on top of itself that wants the same lock.
TEST_P(MachineWalk, AWaitThatHoldsALockRunsItsOwnAlone) {
    constexpr unsigned kOuter = 12;
    for (const unsigned threads : {1, 2, 4}) {
        Text text{threads, "tasks " + number(2 * kOuter) + " joins " + number(kOuter + 1) + " locks 1", "", ""};
        for (unsigned i = 0; i < kOuter; ++i) {
            const std::string inner = number(kOuter + i), join = number(i + 1);
            text.first += " c" + number(i);
            text.lines += "task " + number(i) + " join 0 : h0 c" + inner + " j" + join + " u0\n";
            text.lines += "task " + inner + " join " + join + " : w" + number(kTask_ns) + "\n";
        }
        text.first += " j0";
        for (const std::uint64_t seed : {1, 2, 3})
            EXPECT_GE(time_of(text, seed), kOuter * kTask_ns);
    }
}

// The task takes the lock after its child has begun. The child, perhaps on another thread, also
// waits.
TEST_P(MachineWalk, AWaitBelowOneThatHoldsALockRunsItsOwnAlone) {
    constexpr unsigned kOuter = 12;
    for (const unsigned threads : {2, 4, 8}) {
        Text text{threads, "tasks " + number(3 * kOuter) + " joins " + number(2 * kOuter + 1) + " locks 1", "", ""};
        for (unsigned i = 0; i < kOuter; ++i) {
            const std::string child = number(kOuter + i), leaf = number(2 * kOuter + i);
            const std::string of_task = number(2 * i + 1), of_child = number(2 * i + 2);
            text.first += " c" + number(i);
            text.lines += "task " + number(i) + " join 0 : c" + child + " w5000 h0 j" + of_task + " u0\n";
            text.lines += "task " + child + " join " + of_task + " : c" + leaf + " j" + of_child + "\n";
            text.lines += "task " + leaf + " join " + of_child + " : w" + number(kTask_ns) + "\n";
        }
        text.first += " j0";
        for (const std::uint64_t seed : {1, 2, 3})
            EXPECT_GE(time_of(text, seed), kOuter * kTask_ns / threads);
    }
}

TEST_P(MachineWalk, SignalsEventsAndTasksInsideOthersAreWaitedFor) {
    // Task 0 fulfils the event of task 1, which is the predecessor of task 2. Task 3 runs inside
    // the first thread, which waits for the signal that task 2 posts.
    const Text text{3, "tasks 4 joins 1 signals 1", "c1 c2 c0 i3 s0 w1000 j0",
                    "task 0 join 0 : w1000000 e1\ntask 1 join 0 event : w10\ntask 2 join 0 after 1 : w1000000 p0\n"
                    "task 3 : w10\n"};
    EXPECT_GE(time_of(text), 2 * kTask_ns + 1000);
}

TEST_P(MachineWalk, WhatNeverEndsIsTold) {
    for (const char* first : {"s0 c0 c1", "c0 j0 c1", "c1 c0 j0", "h0 h0 c0 c1"}) {
        const Text text{2, "tasks 2 joins 1 locks 1 signals 1", first,
                        "task 0 join 0 after 1 : w1\ntask 1 join 0 after 0 : w1\n"};
        EXPECT_FALSE(run_on(graph_of(text), 2).complete) << first;
    }
}

TEST_P(MachineWalk, TasksInsideTasksHaveAnEnd) {
    constexpr unsigned kTasks = 20'000;
    Text text{2, "tasks " + number(kTasks), "i0", ""};
    for (unsigned i = 0; i + 1 < kTasks; ++i)
        text.lines += "task " + number(i) + " : i" + number(i + 1) + "\n";
    text.lines += "task " + number(kTasks - 1) + " :\n";
    EXPECT_TRUE(run_on(graph_of(text), 2).too_deep);
}

INSTANTIATE_TEST_SUITE_P(Schedules, MachineWalk, testing::ValuesIn(kSchedulesOfGraphs),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace teff::machine
