// SPDX-License-Identifier: Apache-2.0

#include "explore/explore.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace teff::explore {

namespace {

struct Found {
    Result result;
    int preemptions = 0;
};

Found search_schedules(const std::function<Program()>& make, const Options& options) {
    Search search = options.replay ? Search(*options.replay) : Search();
    Execution execution(options, search);
    Found found;
    Result& result = found.result;
    do {
        execution.run(make);
        ++result.executions;
        result.longest = std::max(result.longest, execution.steps());
        result.outcome = execution.outcome();
        result.complete = result.passed() && !options.replay && !search.advance();
    } while (result.passed() && !result.complete && !options.replay && result.executions < options.max_executions);
    result.exhaustive = result.complete && !execution.bound_was_met();
    if (!result.passed()) {
        result.message = execution.message();
        result.trace = execution.trace();
        result.schedule = search.schedule();
        found.preemptions = execution.preemptions();
    }
    return found;
}

} // namespace

Result run(const std::function<Program()>& make, const Options& options) {
    const Found found = search_schedules(make, options);
    if (found.result.passed() || options.replay) return found.result;
    for (int fewer = 0; fewer < found.preemptions; ++fewer) {
        Options stricter = options;
        stricter.preemptions = fewer;
        Found simpler = search_schedules(make, stricter);
        simpler.result.executions += found.result.executions;
        if (!simpler.result.passed()) return simpler.result;
    }
    return found.result;
}

Execution& execution() {
    if (Execution::active() == nullptr) {
        std::fputs("teff explore: an explored atomic or Var was used outside explore::run()\n", stderr);
        std::abort();
    }
    return *Execution::active();
}

void check_failed(const char* condition, const char* file, int line) {
    execution().fail(Outcome::check_failed, std::string(file) + ":" + std::to_string(line) + ": " + condition);
}

namespace {

const char* outcome_name(Outcome outcome) {
    switch (outcome) {
    case Outcome::passed:
        return "passed";
    case Outcome::check_failed:
        return "check failed";
    case Outcome::data_race:
        return "data race";
    case Outcome::lifetime_error:
        return "lifetime error";
    case Outcome::deadlock:
        return "deadlock";
    case Outcome::livelock:
        return "livelock";
    case Outcome::too_long:
        return "too long";
    case Outcome::not_repeatable:
        return "not repeatable";
    }
    return "?";
}

} // namespace

std::ostream& operator<<(std::ostream& out, Outcome outcome) { return out << outcome_name(outcome); }

std::ostream& operator<<(std::ostream& out, const Result& result) {
    out << result.outcome << "; executions: " << result.executions;
    if (result.passed()) {
        const char* extent = result.exhaustive ? "all there are" : result.complete ? "all within the bound" : "not all";
        return out << ", " << extent << "; longest: " << result.longest << " steps";
    }
    return out << "\n  " << result.message << "\n" << result.trace << "  schedule: \"" << result.schedule << "\"";
}

} // namespace teff::explore
