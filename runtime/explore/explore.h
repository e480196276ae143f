// SPDX-License-Identifier: Apache-2.0
//
// The explorer runs a small concurrent program once for each interleaving of its steps. README.md
// says how to use the explorer.
//
//     const auto result = explore::run([] {
//         auto state = std::make_shared<State>();
//         return explore::Program({[=] { ... }, [=] { ... }}, [=] { EXPLORE_CHECK(state->sum == 2); });
//     });
//     EXPECT_TRUE(result.passed()) << result;

#pragma once

#include "explore/atomics.h"
#include "explore/options.h"

#include <functional>

namespace teff::explore {

// Stops at the first failure, and then looks for one with fewer preemptions.
Result run(const std::function<Program()>& make, const Options& options = {});

void check_failed(const char* condition, const char* file, int line);

} // namespace teff::explore

// In threads, set-up and at_end: a false condition fails the execution.
#define EXPLORE_CHECK(condition)                                                                                       \
    ((condition) ? static_cast<void>(0) : ::teff::explore::check_failed(#condition, __FILE__, __LINE__))
