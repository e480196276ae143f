// SPDX-License-Identifier: Apache-2.0
#include "abi/target_task.h"

#include <gtest/gtest.h>

#include "region/started.h"
#include "task/wait.h"

namespace teff::abi {
namespace {

constexpr unsigned short kTofrom = 3, kFirstprivate = 12;

// A target region that adds a firstprivate value to a mapped variable.
struct Addition {
    long sum = 0;
    alignas(128) long term = 5;
    void* addresses[2] = {&sum, &term};
    std::size_t sizes[2] = {sizeof sum, sizeof term};
    unsigned short kinds[2] = {kTofrom | 3 << 8, kFirstprivate | 7 << 8};

    static void body(void* data) {
        auto* const* addresses = static_cast<void**>(data);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(addresses[1]) % 128, 0u);
        *static_cast<long*>(addresses[0]) += *static_cast<long*>(addresses[1]);
        *static_cast<long*>(addresses[1]) = 0;
    }

    void meet(bool nowait) {
        run_target(team::current_worker(), {.body = body,
                                            .data = {2, addresses, sizes, kinds},
                                            .thread_limit = 0,
                                            .order = {.nowait = nowait, .depend = {}, .site = {}}});
    }
};

void in_region_of_one(void (*body)(void*)) {
    region::run(team::current_worker(), {.body = {body, nullptr}, .num_threads = 1});
}

TEST(TargetTask, HasRunWhenItsCreatorGoesOn) {
    Addition addition;
    addition.meet(false);
    EXPECT_EQ(addition.sum, 5);
    EXPECT_EQ(addition.term, 5) << "the region wrote to its copy";
}

TEST(TargetTask, WithNowaitIsLeftForLaterAndKeepsTheValuesOfItsCreation) {
    in_region_of_one([](void*) {
        Addition addition;
        addition.meet(true);
        EXPECT_EQ(addition.sum, 0) << "a lone thread runs deferred tasks only when it waits";
        addition.term = 77;
        task::wait_for_children(team::current_worker(), {});
        EXPECT_EQ(addition.sum, 5);
        EXPECT_EQ(addition.term, 77);
    });
}

TEST(TargetTask, OutsideRegionsNowaitDefersNothing) {
    Addition addition;
    addition.meet(true);
    EXPECT_EQ(addition.sum, 5);
}

} // namespace
} // namespace teff::abi
