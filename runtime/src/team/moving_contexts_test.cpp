// SPDX-License-Identifier: Apache-2.0
//
// Tests MovingContexts alone. task/explored_suspension_test.cpp tests it together with waits.
#include "team/moving_contexts.h"

#include <array>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <vector>

#include "explore/explore.h"
#include "explore/mutants.h"

namespace teff::team {
namespace {

using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

struct Member {};
struct Task {};
template <class Atomics> struct ContextOver {
    explore::Var<const Member*> member{nullptr}; // plain: written before the offer
    explore::Var<const Task*> task{nullptr};
    explore::Var<std::int32_t> priority{0};
    explore::Var<int> taken{0};
};
template <class Atomics, unsigned kSlots>
using Offers = MovingContextsOver<Atomics, ContextOver<Atomics>, Member, Task, kSlots>;

// Two threads each offer contexts, which two other threads take.
template <class Atomics, unsigned kSlots> struct Scene {
    Offers<Atomics, kSlots> offers;
    std::array<ContextOver<Atomics>, 2> contexts;
    std::array<Member, 2> members;
    std::array<bool, 2> offered{};

    void offer(unsigned number) {
        contexts[number].member = &members[number];
        offered[number] = offers.try_offer(contexts[number]);
    }
    template <class Wanted> void take(Wanted&& wanted) {
        if (auto* const context = offers.take(wanted)) context->taken = context->taken + 1;
    }
    void check_at_end() {
        while (auto* const context = offers.take([](const auto&) { return true; }))
            context->taken = context->taken + 1;
        for (unsigned i = 0; i < contexts.size(); ++i)
            EXPLORE_CHECK(contexts[i].taken == (offered[i] ? 1 : 0));
        EXPLORE_CHECK(offers.count() == 0);
    }
};

template <class Atomics, unsigned kSlots> Result two_and_two(const Options& options) {
    return explore::run(
        [] {
            auto scene = std::make_shared<Scene<Atomics, kSlots>>();
            const auto any = [](const auto&) { return true; };
            const auto of_first = [=](const auto& offer) { return offer.home == &scene->members[0]; };
            return Program({[=] { scene->offer(0); }, [=] { scene->offer(1); }, [=] { scene->take(any); },
                            [=] { scene->take(of_first); }},
                           [=] { scene->check_at_end(); });
        },
        options);
}

constexpr Options kTwo{.preemptions = 2, .max_executions = 200'000};

TEST(MovingContexts, EachOfferIsTakenOnceAndSeenWhole) {
    const Result two_slots = two_and_two<explore::Atomics, 2>(kTwo);
    EXPECT_TRUE(two_slots.passed()) << two_slots;
    const Result one_slot = two_and_two<explore::Atomics, 1>(kTwo);
    EXPECT_TRUE(one_slot.passed()) << one_slot;
    std::cout << two_slots << "\n" << one_slot << "\n";
}

// The exchanges that claim a slot and take an offer are a load and a store.
TEST(MovingContexts, ClaimsAndTakesAreSingleSteps) {
    EXPECT_NE((two_and_two<explore::TornStrongExchange, 1>(kTwo)).outcome, Outcome::passed);
}

// A home takes its own offer only, even if another offer is in the same slot by then.
TEST(MovingContexts, AnOfferThatTookThePlaceOfAnotherIsNotMistakenForIt) {
    const Result result = explore::run(
        [] {
            auto scene = std::make_shared<Scene<explore::Atomics, 1>>();
            const auto home = [=](const auto& offer) { return offer.home == &scene->members[0]; };
            const auto other = [=] {
                auto* const taken = scene->offers.take([](const auto&) { return true; });
                if (taken == nullptr) return;
                taken->taken = taken->taken + 1;
                taken->member = &scene->members[1];
                scene->offered[1] = scene->offers.try_offer(*taken);
            };
            const auto owner = [=] {
                if (auto* const taken = scene->offers.take(home)) EXPLORE_CHECK(taken->member == &scene->members[0]);
            };
            scene->offer(0);
            return Program({other, owner}, [=] {});
        },
        kTwo);
    EXPECT_TRUE(result.passed()) << result;
}

TEST(MovingContexts, TheOldestOfTheHighestPriorityComesFirst) {
    struct Plain {
        const Member* member = nullptr;
        const Task* task = nullptr;
        std::int32_t priority = 0;
    };
    MovingContextsOver<base::RealAtomics, Plain, Member, Task, 3> offers;
    Plain low, high, higher, late;
    high.priority = higher.priority = 2;
    const auto any = [](const auto&) { return true; };
    EXPECT_EQ(offers.highest(any), INT32_MIN);
    EXPECT_TRUE(offers.try_offer(low));
    EXPECT_TRUE(offers.try_offer(high));
    EXPECT_TRUE(offers.try_offer(higher));
    EXPECT_FALSE(offers.try_offer(late));
    EXPECT_EQ(offers.count(), 3u);
    EXPECT_EQ(offers.highest(any), 2);
    EXPECT_EQ(offers.take(any), &high);
    EXPECT_EQ(offers.take(any), &higher);
    EXPECT_EQ(offers.take([](const auto& offer) { return offer.priority == 2; }), nullptr);
    EXPECT_EQ(offers.take(any), &low);
    EXPECT_EQ(offers.count(), 0u);
}

} // namespace
} // namespace teff::team
