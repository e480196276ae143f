// SPDX-License-Identifier: Apache-2.0
//
// The options that a test gives to explore::run(), and the result that explore::run() returns.

#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace teff::explore {

inline constexpr int unbounded = INT_MAX;

// The threads of a test, at most seven, made anew for each execution. `at_end` runs when all have
// ended.
struct Program {
    Program(std::vector<std::function<void()>> bodies, std::function<void()> end_check = nullptr)
        : threads(std::move(bodies)), at_end(std::move(end_check)) {}

    std::vector<std::function<void()>> threads;
    std::function<void()> at_end;
};

struct Options {
    // How often an execution may switch away from a thread that could go on.
    int preemptions = 3;
    std::uint64_t max_executions = 1'000'000;
    // An execution with more steps is reported: it probably loops without cpu_relax().
    std::uint64_t max_steps = 10'000;
    // How many calls of cpu_relax() a thread may make, while no other thread changes memory, before
    // it stands back. For a protocol that gives up spinning after n rounds, set this to n; else the
    // cases in which it gives up are not explored.
    int idle_rounds = 0;
    // How many waits of an execution may end early: at their time limit, or for no reason as a
    // futex may.
    int early_wakes = 0;
    // Run this one schedule, copied from a failure, and nothing else.
    std::optional<std::string> replay = std::nullopt;
};

enum class Outcome : std::uint8_t {
    passed,
    check_failed,
    data_race,
    lifetime_error, // used before its construction or after its destruction could be known to have happened
    deadlock,       // all threads sleep
    livelock,       // all threads spin or sleep and nobody changes memory
    too_long,       // more steps than Options::max_steps
    not_repeatable, // the test did something else on the same schedule, or the schedule is not one of this test
};

std::ostream& operator<<(std::ostream& out, Outcome outcome);

struct Result {
    Outcome outcome = Outcome::passed;
    std::string message;
    std::string trace;    // the failing execution, one line a step
    std::string schedule; // for Options::replay
    std::uint64_t executions = 0;
    std::uint64_t longest = 0; // steps
    bool complete = false;     // no schedule within the bounds is left
    bool exhaustive = false;   // complete, and the bound on preemptions forbade nothing

    bool passed() const { return outcome == Outcome::passed; }
};

std::ostream& operator<<(std::ostream& out, const Result& result);

} // namespace teff::explore
