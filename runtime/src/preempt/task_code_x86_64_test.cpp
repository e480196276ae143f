// SPDX-License-Identifier: Apache-2.0
#include "preempt/task_code.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "preempt/reached_library.h"

namespace teff::preempt {
namespace {

TEST(TaskCode, AVerdictIsTheSameForAllTasksOfAFunction) {
    const auto functions = reached_functions("O2");
    ASSERT_FALSE(functions.empty());
    ASSERT_TRUE(preempt_by_function(loaded_at(functions.data())));
    EXPECT_TRUE(leaves_by_function());
    for (int times = 0; times < 2; ++times)
        for (const ReachedFunction& function : functions) {
            SCOPED_TRACE(function.name);
            EXPECT_EQ(task_is_free(code_of(function)), function.reach == 'n');
        }
    EXPECT_FALSE(task_is_free(reinterpret_cast<const void*>(&std::abort)));
    detail::by_function.store(false);
}

} // namespace
} // namespace teff::preempt
