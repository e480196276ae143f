// SPDX-License-Identifier: Apache-2.0
#include "preempt/reach.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "preempt/reached_library.h"

namespace teff::preempt {
namespace {

class Kinds : public testing::TestWithParam<const char*> {};

TEST_P(Kinds, EachFunctionReachesWhatItsSourceSays) {
    const auto functions = reached_functions(GetParam());
    ASSERT_FALSE(functions.empty());
    const Loaded file = loaded_at(functions.data());
    for (const ReachedFunction& function : functions) {
        SCOPED_TRACE(function.name);
        const Finding found = find_reach(file, code_of(function));
        const char is = found.reach == Reach::no_thread_local         ? 'n'
                        : found.reach == Reach::thread_local_variable ? 't'
                                                                      : 'u';
        if (function.reach == 'e') EXPECT_NE(is, 'n');
        else EXPECT_EQ(is, function.reach);
        EXPECT_EQ(found.at == 0, found.reach == Reach::no_thread_local);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Kinds, testing::Values("O0", "O2", "O3", "no_plt", "exports"));

TEST(Reach, AFunctionOutsideOfTheFileIsUnknown) {
    const auto functions = reached_functions("O2");
    ASSERT_FALSE(functions.empty());
    const Loaded file = loaded_at(functions.data());
    EXPECT_EQ(find_reach(file, reinterpret_cast<const void*>(&std::abort)).reach, Reach::unknown);
    EXPECT_EQ(find_reach(file, nullptr).reach, Reach::unknown);
}

} // namespace
} // namespace teff::preempt
